// The signature itself names `ArgsOf<Notes>` and `TypedNext<Notes>`, so the compiler meets the fault at each.
use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, tool_hook};

struct Notes;

#[tool_hook(tool = Notes)]
async fn clamp(args: ArgsOf<Notes>, next: impl TypedNext<Notes>) -> ToolResult<i64> {
    next.run(args).await
}

fn main() {}
