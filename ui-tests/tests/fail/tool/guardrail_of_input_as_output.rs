use onionskin::{Args, guardrail, tool};

#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

/// Adds one.
#[tool(output_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
