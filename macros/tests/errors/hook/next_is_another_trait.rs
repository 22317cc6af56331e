use onionskin::{Args, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Fn(&mut Args) -> ToolResult) -> ToolResult {
    next(args)
}

fn main() {}
