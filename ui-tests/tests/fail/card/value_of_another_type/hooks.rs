use onionskin::{Args, Next, ToolResult, tool_hook};

// No crate makes another thing into a `char`, so rustc's list of what does stays short.
#[tool_hook]
pub async fn short(#[config] marks: Vec<char>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = marks;
    next.run(args).await
}
