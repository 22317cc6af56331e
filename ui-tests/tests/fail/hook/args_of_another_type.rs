use onionskin::{Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut serde_json::Value, next: impl Next) -> ToolResult {
    let _ = (args, next);
    Err("no".into())
}

fn main() {}
