use onionskin::{agent, run_hook};

#[run_hook(pre)]
fn check(input: &str) {
    let _ = input;
}

agent! {
    Clerk {
        instruction: "Answer.",
        pre_hooks: [check],
    }
}

fn main() {}
