use onionskin::tool;

/// Adds one.
#[tool(description = 3)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
