//! Parameters of any value.
use onionskin::tool;

//~ any value
/// Keeps it.
#[tool(strict)]
fn keep(value: Option<serde_json::Value>) -> bool { value.is_some() }

//~ parameter of any value
/// Takes.
#[onionskin::tool(strict)]
fn take(any: Option<serde_json::Value>) -> bool { any.is_some() }

fn main() {}
