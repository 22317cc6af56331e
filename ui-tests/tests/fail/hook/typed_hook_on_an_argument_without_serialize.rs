use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, tool, tool_hook};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    pieces: u8,
}

/// Orders.
#[tool(approval)]
fn order(from: &str, one: Order) -> u8 {
    let _ = from;
    one.pieces
}

#[tool_hook(tool = order)]
async fn clamp(args: ArgsOf<order>, next: impl TypedNext<order>) -> ToolResult<u8> {
    next.run(args).await
}

fn main() {}
