use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook(around = true)]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
