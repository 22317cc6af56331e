// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
use onionskin::{Args, Next, ToolResult, tool};

async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// Adds one.
#[tool(hooks = [audit])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
