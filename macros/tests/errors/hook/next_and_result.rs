use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next, result: &mut ToolResult) -> ToolResult {
    next.run(args).await
}

fn main() {}
