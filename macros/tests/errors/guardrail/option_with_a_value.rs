use onionskin::{Args, guardrail};

#[guardrail(input = true)]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
