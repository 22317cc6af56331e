// An attribute cannot see that its function is in an `impl` or a `trait`, which contain no types: these words are the
// compiler's. On a method (`&self`) we say it ourselves.
use onionskin::{Args, Next, ToolResult, tool, tool_hook};

//~ a tool
struct Shop;

impl Shop {
    /// Adds one.
    #[tool]
    fn add_one(x: i64) -> i64 {
        x + 1
    }
}

//~ a hook
struct Audit;

impl Audit {
    #[tool_hook]
    async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
