use onionskin::tool;

use onionskin::{Args, Next, ToolResult, tool_hook};

/// Both.
#[tool]
#[tool_hook]
async fn both(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
