use onionskin::{State, agent, tool};

#[derive(Clone)]
struct Ledger;

#[derive(Clone)]
struct Counter;

/// Counts.
#[tool]
fn count(counter: State<Counter>) -> bool {
    let _ = counter;
    true
}

agent! {
    Helper {
        instruction: "Help.",
        state: Ledger,
        function_tools: [count],
    }
}

fn main() {}
