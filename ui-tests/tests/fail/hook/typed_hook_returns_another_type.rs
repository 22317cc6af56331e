use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult {
    let _ = next.run(args).await;
    Err("no".into())
}

fn main() {}
