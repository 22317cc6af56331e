use onionskin::{tool};

/// Adds one.
#[tool(cache = "60s")]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
