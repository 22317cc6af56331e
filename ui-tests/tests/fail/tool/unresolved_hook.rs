use onionskin::tool;

/// Adds one.
#[tool(hooks = [audit])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
