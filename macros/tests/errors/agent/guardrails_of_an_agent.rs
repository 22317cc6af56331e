use onionskin::{Args, agent, guardrail};

#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

agent! { Helper { instruction: "Help.", guardrails: [check] } }

fn main() {}
