//! Hooks that declare lifetimes.
use crate::parts::are_hooks;
use onionskin::{Args, Next, RunContext, ToolContext, ToolOutput, ToolResult, tool_hook};

#[tool_hook]
async fn named<'c>(ctx: &'c ToolContext, run: &'c RunContext, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = (ctx, run);
    next.run(args).await
}

#[tool_hook]
async fn two<'c, 'x>(ctx: &'c ToolContext, args: &'x mut Args, next: impl Next) -> ToolResult {
    let _ = ctx;
    next.run(args).await
}

#[tool_hook]
fn before<'c>(ctx: &'c ToolContext, name: &'c str) {
    let _ = (ctx, name);
}

#[tool_hook]
async fn after<'o>(output: &'o mut ToolOutput) {
    output.push_text("!");
}

#[tool_hook]
async fn anonymous(ctx: &'_ ToolContext, args: &'_ mut Args, next: impl Next) -> ToolResult {
    let _ = ctx;
    next.run(args).await
}

pub(crate) fn main() {
    are_hooks!(named, two, before, after, anonymous);
}
