use onionskin::tool;

/// Adds one.
#[tool(max_calls = "three")]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
