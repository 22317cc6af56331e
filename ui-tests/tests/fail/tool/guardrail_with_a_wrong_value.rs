use onionskin::{Args, guardrail, tool};

#[guardrail(input)]
fn at_most(#[config] most: i64, args: &mut Args) {
    args["x"] = most.into();
}

/// Adds one.
#[tool(input_guardrails = [at_most("ten")])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
