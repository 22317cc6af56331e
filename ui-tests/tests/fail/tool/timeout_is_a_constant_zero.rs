use std::time::Duration;

use onionskin::tool;

const PAUSE: Duration = Duration::ZERO;

/// Adds one.
#[tool(timeout = PAUSE)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = add_one::spec();
}
