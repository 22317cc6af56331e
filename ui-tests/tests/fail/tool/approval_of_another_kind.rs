use onionskin::{tool};

fn large(x: i64) -> bool {
    x > 100
}

/// Adds one.
#[tool(approval = large)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
