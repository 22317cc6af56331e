//! What cannot be the error of a tool.
use onionskin::tool;

struct Broken;

//~ an error without a text
/// Reports.
#[tool]
fn report() -> Result<String, Broken> { Err(Broken) }

//~ an error without a text, of a tool that borrows
/// Reports.
#[tool(timeout = 30, cache)]
async fn error_of_a_borrowing_tool(lines: &str) -> Result<String, Broken> {
    if lines.is_empty() { Err(Broken) } else { Ok(lines.to_owned()) }
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [error_of_a_borrowing_tool] } }

//~ an error that only serialises
#[derive(serde::Serialize)]
struct OnlySerialised;

/// Reports.
#[tool]
fn error_that_only_serialises(lines: &str) -> Result<String, OnlySerialised> {
    if lines.is_empty() { Err(OnlySerialised) } else { Ok(lines.to_owned()) }
}

fn main() {}
