use onionskin::{Next, ToolResult, typed::ArgsOf, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl Next) -> ToolResult<i64> {
    let _ = (args, next);
    Err("no".into())
}

fn main() {}
