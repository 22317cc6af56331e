use onionskin::{Args, guardrail};

#[guardrail(imput)]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
