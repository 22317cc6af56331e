use onionskin::loader::Registry;
use onionskin::tool;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<add_one>());
}
