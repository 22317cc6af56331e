// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
use onionskin::{Args, tool};

fn check(args: &Args) {
    let _ = args;
}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
