use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{ToolResult, agent, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Subtracts one.
#[tool]
fn subtract_one(x: i64) -> i64 {
    x - 1
}

/// Lets only small numbers through.
#[tool_hook(tool = add_one)]
async fn small(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

agent! {
    Calculator {
        instruction: "Calculate.",
        function_tools: [subtract_one],
        tool_hooks: [small],
    }
}

fn main() {}
