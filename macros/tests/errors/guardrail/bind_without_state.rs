use onionskin::{Args, guardrail};

#[guardrail(input)]
fn check(#[bind(user.name)] name: &str, args: &Args) {
    let _ = (name, args);
}

fn main() {}
