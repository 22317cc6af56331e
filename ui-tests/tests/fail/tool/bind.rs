//! Parameters that are bound to a field that is not there, or to one of another type.
use onionskin::{Args, Next, ToolResult, guardrail, tool, tool_hook};

#[derive(Clone)]
struct User {
    name: String,
}

#[derive(Clone)]
struct Ledger {
    user: User,
}

//~ a field that is not there
/// Greets.
#[tool(state = Ledger)]
fn wrong_path(#[bind(user.nam)] name: String) -> String {
    name
}

//~ a field of another type
/// Greets.
#[tool(state = Ledger)]
fn wrong_type(#[bind(user.name)] name: u32) -> u32 {
    name
}

//~ a borrowed field of another type
/// Greets.
#[tool(state = Ledger)]
async fn wrong_borrowed_type(#[bind(user.name)] name: &u32) -> u32 {
    *name
}

//~ a default value of another type
/// Greets.
#[tool(state = Ledger)]
fn default_of_wrong_type(#[bind("user.age", default = "forty")] age: u32) -> u32 {
    age
}

//~ a path that begins with `state`
#[derive(Clone)]
struct Account {
    user: String,
}

/// D.
#[tool(state = Account)]
fn greet(#[bind(state.user)] name: String) -> String { name }

//~ a field that is not `Clone`
struct Key(String);

struct Keys {
    door: Key,
}

#[derive(Clone)]
struct House {
    keys: std::sync::Arc<Keys>,
}

/// Opens.
#[tool(state = House)]
fn open(#[bind(keys.door)] key: Key) -> usize { key.0.len() }

//~ a field of another type, in a hook
#[tool_hook(state = User)]
async fn audit(#[bind(name)] name: u8, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = name;
    next.run(args).await
}

//~ a field that is not there, in a guardrail
#[guardrail(input, state = User)]
fn check(#[bind(nmae)] name: &str, args: &Args) { let _ = (name, args); }

fn main() {}
