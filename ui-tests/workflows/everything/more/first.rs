//! A tool, and a hook with its arguments.

use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{ToolResult, tool_hook};

/// Runs.
#[onionskin::tool]
pub fn run(text: String) -> String {
    text
}

/// Makes the text of the tool louder, also where it has another name for the model.
///
/// # Errors
/// Those of the tool.
#[tool_hook(tool = run)]
pub async fn louder(args: ArgsOf<run>, next: impl TypedNext<run>) -> ToolResult<OutputOf<run>> {
    next.run(ArgsOf::<run> { text: args.text.to_uppercase() }).await
}
