use onionskin::{Args, guardrail, tool};

#[guardrail(input)]
fn at_most(#[config] most: i64, args: &mut Args) {
    args["x"] = most.into();
}

/// D.
#[tool(input_guardrails = [at_most(most: 99)])]
fn check(x: u8) -> u8 {
    x
}

fn main() {}
