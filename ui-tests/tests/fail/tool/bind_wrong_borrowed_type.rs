use onionskin::tool;

#[derive(Clone)]
struct User {
    name: String,
}

#[derive(Clone)]
struct Ledger {
    user: User,
}

/// Greets.
#[tool(state = Ledger)]
async fn greet(#[bind(user.name)] name: &u32) -> u32 {
    *name
}

fn main() {}
