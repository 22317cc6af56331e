use onionskin::{Args, tool, tool_hook};

#[tool_hook]
fn check(args: &Args) {
    let _ = args;
}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
