use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next, again: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
