use onionskin::{hooks, tool};

/// Adds one.
#[tool(effect = pure, hooks = [hooks::retry])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
