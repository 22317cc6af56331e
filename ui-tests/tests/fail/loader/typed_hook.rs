use onionskin::loader::Registry;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{ToolResult, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<clamp>());
}
