use onionskin::tool;

#[derive(Clone)]
struct Ledger {
    user: String,
}

/// D.
#[tool(state = Ledger)]
fn greet(#[bind(state.user)] name: String) -> String {
    name
}

fn main() {}
