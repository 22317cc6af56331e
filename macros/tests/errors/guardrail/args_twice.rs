use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(args: &Args, other: &Args) {
    let _ = (args, other);
}

fn main() {}
