use onionskin::{Args, guardrail};

#[derive(Clone)]
struct User {
    name: String,
}

#[guardrail(input, state = User)]
fn check(#[bind(nmae)] name: &str, args: &Args) {
    let _ = (name, args);
}

fn main() {}
