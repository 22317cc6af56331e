use onionskin::tool;

/// Adds one.
#[tool(on_error = |_, error| Err(error.into()))]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
