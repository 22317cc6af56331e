use onionskin::{tool};

/// Adds one.
#[tool(cache(ttl = "60s"), annotations(destructive))]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
