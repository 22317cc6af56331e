use onionskin::{tool};

/// Adds one.
#[tool(cache(key = "by_x"))]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
