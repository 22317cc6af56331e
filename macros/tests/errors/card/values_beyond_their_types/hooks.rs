use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
pub async fn short(#[config] most: u32, #[config] step: i8, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = (most, step);
    next.run(args).await
}

#[tool_hook]
pub async fn long(#[config] most: usize, #[config] all: i128, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = (most, all);
    next.run(args).await
}
