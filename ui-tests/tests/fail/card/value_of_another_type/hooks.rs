use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
pub async fn short(#[config] most: Vec<u32>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = most;
    next.run(args).await
}
