use onionskin::{ToolOutput, guardrail, tool};

#[guardrail(output)]
fn check(output: &ToolOutput) {
    let _ = output;
}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
