use onionskin::{State, agent, run_hook};

#[derive(Clone)]
struct Till;

#[derive(Clone)]
struct Ledger;

#[run_hook(pre)]
fn check(input: &str, state: State<Ledger>) {
    let _ = (input, state);
}

agent! {
    Clerk {
        instruction: "Answer.",
        state: Till,
        run_hooks: [check],
    }
}

fn main() {
    let _ = (Till, Ledger);
}
