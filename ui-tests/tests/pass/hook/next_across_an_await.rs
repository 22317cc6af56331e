//! The rest of a call is shared with what a hook waits for.

use crate::parts::add_one;
use onionskin::{Args, Next, ToolResult, agent, tool_hook};
use onionskin::typed::{ArgsOf, TypedNext};

async fn twice(next: &impl Next, args: &mut Args) -> ToolResult {
    let _ = next.run(&mut args.clone()).await;
    next.run(args).await
}

#[tool_hook]
async fn again(args: &mut Args, next: impl Next) -> ToolResult {
    twice(&next, args).await
}

async fn inwards(next: &impl TypedNext<add_one>, args: ArgsOf<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    inwards(&next, args).await
}

agent! {
    Adder {
        instruction: "Add.",
        function_tools: [add_one],
        tool_hooks: [again, clamp],
    }
}

pub(crate) fn main() {
    drop(Adder::builder());
}
