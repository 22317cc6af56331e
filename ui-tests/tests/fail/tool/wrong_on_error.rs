use onionskin::tool;

fn explain(error: String) -> String {
    error
}

/// Adds one.
#[tool(on_error = explain)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
