use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn retry(#[config] #[inject] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
