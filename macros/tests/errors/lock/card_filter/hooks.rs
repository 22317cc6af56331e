use onionskin::{Args, Next, ToolResult, tool_hook};

/// Looks at calls.
#[tool_hook]
pub async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}
