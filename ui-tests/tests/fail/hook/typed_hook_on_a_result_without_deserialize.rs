use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, tool, tool_hook};

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Bill {
    cents: u64,
}

/// Orders.
#[tool(cache)]
fn order(pieces: u8) -> Result<Bill, String> {
    Ok(Bill { cents: pieces.into() })
}

#[tool_hook(tool = order)]
async fn clamp(args: ArgsOf<order>, next: impl TypedNext<order>) -> ToolResult<Result<Bill, String>> {
    next.run(args).await
}

fn main() {}
