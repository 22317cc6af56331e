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
fn greet(#[bind("user.age", default = "forty")] age: u32) -> u32 {
    age
}

fn main() {}
