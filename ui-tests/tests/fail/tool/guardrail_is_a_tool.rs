use onionskin::{tool};

/// Checks.
#[tool]
fn check(x: i64) -> bool {
    x == 13
}

/// Adds one.
#[tool(output_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
