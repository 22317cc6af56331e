use onionskin::{Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(next: impl Next) -> ToolResult {
    next.run().await
}

fn main() {}
