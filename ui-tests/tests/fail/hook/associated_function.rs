// An attribute cannot see that its function is in an `impl`, which contains no types: these words are the
// compiler's. On a method (`&self`) we say it ourselves.
use onionskin::{Args, Next, ToolResult, tool_hook};

struct Audit;

impl Audit {
    #[tool_hook]
    async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
