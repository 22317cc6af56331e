use onionskin::{tool};

/// Adds one.
#[tool(cache(capacity = 0))]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
