use onionskin::{ArgsOf, Args, ToolResult, TypedNext, guardrail, tool, tool_hook};

#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

fn main() {}
