use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    Err("no".into())
}

fn main() {}
