use onionskin::{tool};

/// Adds one.
#[tool(input_guardrails = ["check"])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
