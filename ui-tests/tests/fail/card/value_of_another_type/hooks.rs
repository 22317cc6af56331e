use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
pub async fn short(#[config] marks: Vec<bool>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = marks;
    next.run(args).await
}
