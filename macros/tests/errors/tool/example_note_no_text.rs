use onionskin::{tool};

/// Adds one.
#[tool(examples = [example(x = 1).note(2)])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
