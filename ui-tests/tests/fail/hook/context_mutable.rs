use onionskin::{Args, Next, ToolContext, ToolResult, tool_hook};

#[tool_hook]
async fn audit(ctx: &mut ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ctx;
    next.run(args).await
}

fn main() {}
