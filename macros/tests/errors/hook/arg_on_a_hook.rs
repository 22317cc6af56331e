use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn retry(#[arg(default = 3)] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
