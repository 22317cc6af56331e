use onionskin::{Args, guardrail};

#[guardrail]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
