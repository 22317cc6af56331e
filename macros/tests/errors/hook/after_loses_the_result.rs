use onionskin::{ToolResult, tool_hook};

#[tool_hook]
async fn audit(result: ToolResult) {}

fn main() {}
