use onionskin::{Args, guardrail, tool};

/// D.
#[tool]
#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
