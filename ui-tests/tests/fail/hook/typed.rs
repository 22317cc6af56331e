//! Typed hooks.
use onionskin::run::Team;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{Args, ToolResult, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

//~ on a tool whose result is not read
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Bill {
    cents: u64,
}

/// Orders.
#[tool(cache)]
fn order(pieces: u8) -> Result<Bill, String> { Ok(Bill { cents: pieces.into() }) }

#[tool_hook(tool = order)]
async fn clamp(args: ArgsOf<order>, next: impl TypedNext<order>) -> ToolResult<Result<Bill, String>> {
    next.run(args).await
}

//~ on a tool whose argument is not written
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    pieces: u8,
}

/// Orders.
#[tool(approval)]
fn order_one(from: &str, one: Order) -> u8 {
    let _ = from;
    one.pieces
}

#[tool_hook(tool = order_one)]
async fn typed_hook_on_an_argument_without_serialize(args: ArgsOf<order_one>, next: impl TypedNext<order_one>) -> ToolResult<u8> {
    next.run(args).await
}

//~ on a tool that returns static text
/// Greets.
#[tool(cache)]
fn greet(name: String) -> Result<&'static str, String> {
    if name.is_empty() { Err("no name".into()) } else { Ok("hello") }
}

#[tool_hook(tool = greet)]
async fn short(args: ArgsOf<greet>, next: impl TypedNext<greet>) -> ToolResult<Result<&'static str, String>> {
    next.run(args).await
}

//~ another type of result
#[tool_hook(tool = add_one)]
async fn typed_hook_returns_another_type(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult {
    let _ = next.run(args).await;
    Err("no".into())
}

//~ arguments as JSON
#[tool_hook(tool = add_one)]
async fn typed_hook_takes_raw_args(args: &mut Args, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    let _ = (args, next);
    Err("no".into())
}

//~ another type of result, with the team
#[tool_hook(tool = add_one)]
async fn typed_injecting_hook_returns_another_type(args: ArgsOf<add_one>, team: Team, next: impl TypedNext<add_one>) -> ToolResult<String> {
    let _ = (team, next.run(args).await?);
    Ok("done".to_owned())
}

fn main() {}
