use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(args: &Args) -> impl Sized {
    let _ = args;
}

fn main() {}
