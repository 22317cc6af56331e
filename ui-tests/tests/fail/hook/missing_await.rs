use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args)
}

fn main() {}
