use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn retry(times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = times;
    next.run(args).await
}

fn main() {}
