use onionskin::{Args, ToolResult, typed::TypedNext, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: &mut Args, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    let _ = (args, next);
    Err("no".into())
}

fn main() {}
