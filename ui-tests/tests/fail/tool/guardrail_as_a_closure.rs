use onionskin::{Args, tool};

/// Adds one.
#[tool(input_guardrails = [|args: &Args| args["x"] != 13])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
