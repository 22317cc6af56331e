use onionskin::{Args, guardrail};

#[guardrail(output)]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
