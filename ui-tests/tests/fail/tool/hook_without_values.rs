use onionskin::{hooks, tool};

/// Adds one.
#[tool(hooks = [hooks::retry])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
