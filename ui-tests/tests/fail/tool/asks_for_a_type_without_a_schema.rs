use onionskin::question::AskError;
use onionskin::{ToolContext, tool};

struct Size(u8);

/// Orders shoes.
#[tool(asks)]
async fn order(cx: &ToolContext) -> Result<u8, AskError> {
    let size: Size = cx.ask("Which size?").await?;
    Ok(size.0)
}

fn main() {}
