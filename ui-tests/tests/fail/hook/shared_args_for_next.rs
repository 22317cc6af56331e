use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
