//! A typed hook is part of its tool, whose place is fixed when the agent is declared.
use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, agent, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> { next.run(args).await }

//~ in the hooks of another tool
/// Adds two.
#[tool(hooks = [clamp])]
fn add_two(x: i64) -> i64 { x + 2 }

agent! {
    Clerk { instruction: "Add.", function_tools: [add_one] }
}

fn main() {
    //~ added to an agent at run time
    drop(Clerk::builder().hook(clamp::new()));
}
