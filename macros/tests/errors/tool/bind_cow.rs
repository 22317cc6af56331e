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
fn greet(#[bind(user.name)] name: std::borrow::Cow<'_, str>) -> String {
    name.into_owned()
}

fn main() {}
