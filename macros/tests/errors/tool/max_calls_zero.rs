use onionskin::tool;

/// Adds one.
#[tool(max_calls = 0)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
