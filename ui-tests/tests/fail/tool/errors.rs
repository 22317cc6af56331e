//! What cannot be the error of a tool.
use onionskin::tool;

struct Broken;

//~ error not displayable
/// Reports.
#[tool]
fn report() -> Result<String, Broken> { Err(Broken) }

//~ error of a borrowing tool
/// Reports.
#[tool(timeout = 30, cache)]
async fn error_of_a_borrowing_tool(lines: &str) -> Result<String, Broken> {
    if lines.is_empty() { Err(Broken) } else { Ok(lines.to_owned()) }
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [error_of_a_borrowing_tool] } }

//~ error that only serialises
#[derive(serde::Serialize)]
struct OnlySerialised;

/// Reports.
#[tool]
fn error_that_only_serialises(lines: &str) -> Result<String, OnlySerialised> {
    if lines.is_empty() { Err(OnlySerialised) } else { Ok(lines.to_owned()) }
}

fn main() {}
