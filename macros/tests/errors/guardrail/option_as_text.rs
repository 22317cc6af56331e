use onionskin::{Args, guardrail};

#[guardrail("input")]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
