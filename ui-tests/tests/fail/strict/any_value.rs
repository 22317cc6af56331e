//! Parameters of any value.
use onionskin::tool;

//~ by an import
/// Keeps it.
#[tool(strict)]
fn keep(value: Option<serde_json::Value>) -> bool { value.is_some() }

//~ by a path
/// Takes.
#[onionskin::tool(strict)]
fn take(any: Option<serde_json::Value>) -> bool { any.is_some() }

fn main() {}
