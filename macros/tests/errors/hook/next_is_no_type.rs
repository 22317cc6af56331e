// The second error is the compiler's: the type is in the user's own signature.
use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: &dyn Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
