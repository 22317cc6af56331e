use onionskin::tool;

use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

/// Adds two.
#[tool(hooks = [clamp])]
fn add_two(x: i64) -> i64 {
    x + 2
}

fn main() {}
