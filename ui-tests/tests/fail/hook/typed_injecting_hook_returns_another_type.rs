use onionskin::{ToolResult, run::Team, typed::{ArgsOf, TypedNext}, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, team: Team, next: impl TypedNext<add_one>) -> ToolResult<String> {
    let _ = (team, next.run(args).await?);
    Ok("done".to_owned())
}

fn main() {}
