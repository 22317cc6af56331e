//! Answers without a schema.
use onionskin::question::AskError;
use onionskin::{ToolContext, tool};

//~ the answer of `ask`
struct Size(u8);

/// Orders shoes.
#[tool(asks)]
async fn order(cx: &ToolContext) -> Result<u8, AskError> {
    let size: Size = cx.ask("Which size?").await?;
    Ok(size.0)
}

//~ the result of an external tool
#[derive(serde::Serialize)]
struct Photo {}

/// Takes a photo.
#[tool(external)]
fn photo() -> Photo;

fn main() {}
