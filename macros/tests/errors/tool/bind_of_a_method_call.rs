use onionskin::tool;

#[derive(Clone)]
struct Ledger {
    user: String,
}

/// D.
#[tool(state = Ledger)]
fn greet(#[bind(user.clone())] name: String) -> String {
    name
}

fn main() {}
