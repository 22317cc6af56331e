//! What a hook takes.
use onionskin::{Args, Next, ToolContext, ToolResult, tool_hook};

//~ the result as another type
#[tool_hook]
async fn count(result: &mut String) { result.clear(); }

//~ a mutable context
#[tool_hook]
async fn audit(ctx: &mut ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ctx;
    next.run(args).await
}

//~ the name as another type
#[tool_hook]
async fn name_of_another_type(name: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = name;
    next.run(args).await
}

//~ a type that cannot be injected
struct Database;

#[tool_hook]
async fn unknown_parameter(args: &mut Args, database: &Database, next: impl Next) -> ToolResult {
    let _ = database;
    next.run(args).await
}

//~ a value without `#[config]`
#[tool_hook]
async fn retry(times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = times;
    next.run(args).await
}

fn main() {}
