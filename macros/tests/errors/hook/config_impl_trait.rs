use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn cap(#[config] limit: impl Into<u32>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = limit.into();
    next.run(args).await
}

fn main() {}
