use onionskin::{Args, guardrail};

#[guardrail(input, output)]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
