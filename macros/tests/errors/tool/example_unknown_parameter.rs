use onionskin::{tool};

/// Adds one.
#[tool(examples = [example(y = 1)])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
