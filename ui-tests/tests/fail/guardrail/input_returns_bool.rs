use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(args: &Args) -> bool {
    args["x"] == 13
}

fn main() {}
