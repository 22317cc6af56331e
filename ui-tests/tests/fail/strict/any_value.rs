use onionskin::tool;

/// Keeps it.
#[tool(strict)]
fn keep(value: Option<serde_json::Value>) -> bool {
    value.is_some()
}

fn main() {}
