use onionskin::{agent, tool};

#[derive(Clone)]
struct Desk {
    user: String,
}

#[derive(Clone)]
struct Ledger;

/// Greets.
#[tool(state = Desk)]
fn greet(#[bind(user)] name: &str) -> String {
    format!("Hello {name}")
}

agent! {
    Bookkeeper {
        instruction: "Keep the books.",
        state: Ledger,
        function_tools: [greet],
    }
}

fn main() {}
