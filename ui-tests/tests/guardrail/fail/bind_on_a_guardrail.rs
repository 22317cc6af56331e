use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(#[bind("user")] user: String, args: &Args) {
    let _ = (user, args);
}

fn main() {}
