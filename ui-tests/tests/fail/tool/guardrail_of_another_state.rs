use onionskin::{Args, State, guardrail, tool};

#[derive(Clone)]
struct Ledger;
#[derive(Clone)]
struct Notes;

#[guardrail(input)]
fn check(args: &Args, state: State<Notes>) {
    let _ = (args, state);
}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64, state: State<Ledger>) -> i64 {
    let _ = state;
    x + 1
}

onionskin::agent! { Helper { instruction: "Help.", state: Ledger, function_tools: [add_one] } }

fn main() {}
