use onionskin::{Args, State, agent, guardrail, tool};

#[derive(Clone)]
struct Ledger;

#[guardrail(input)]
fn check(_args: &Args, _ledger: State<Ledger>) {}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Adder {
        instruction: "Add.",
        function_tools: [add_one],
    }
}

fn main() {}
