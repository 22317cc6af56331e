use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn retry<const TIMES: usize>(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
