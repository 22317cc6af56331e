use onionskin::{Args, agent, guardrail};

#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

agent! { Helper { instruction: "Help.", input_guardrails: [check] } }

fn main() {}
