use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
pub async fn short(#[config] most: usize, #[config] mark: &str, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = (most, mark);
    next.run(args).await
}
