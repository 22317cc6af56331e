use onionskin::{Args, ToolResult, tool_hook};

#[tool_hook(around)]
async fn audit(args: &mut Args) -> ToolResult {
    Err("no".into())
}

fn main() {}
