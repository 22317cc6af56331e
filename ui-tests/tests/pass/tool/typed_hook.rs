use onionskin::tool;

use onionskin::{ToolResult, tool_hook};
use onionskin::typed::{ArgsOf, TypedNext};

/// Adds.
#[tool]
fn add(x: i64, name: &str, #[arg(skip)] quiet: bool) -> Result<i64, String> {
    let _ = (name, quiet);
    Ok(x)
}

#[tool_hook(tool = add)]
async fn clamp(mut args: ArgsOf<add>, next: impl TypedNext<add>) -> ToolResult<Result<i64, String>> {
    args.x = args.x.min(10);
    args.name.push('!');
    next.run(args).await
}

pub(crate) fn main() {}
