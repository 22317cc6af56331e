use onionskin::{Args, Next, ToolResult, tool_hook};

struct Database;

#[tool_hook]
async fn audit(args: &mut Args, database: &Database, next: impl Next) -> ToolResult {
    let _ = database;
    next.run(args).await
}

fn main() {}
