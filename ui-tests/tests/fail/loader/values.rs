//! Values and texts that a card cannot give.
use std::sync::Arc;

use onionskin::loader::Registry;
use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

//~ a function that makes no hook
fn hook_made_of_something_else() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook_with("audit", |(most,): (u32,)| most));
}

//~ a function that makes no run hook
fn run_hook_made_of_something_else() {
    let _ = Registry::new().file("cards/items.rs", |items| items.run_hook_with("check", |(most,): (u32,)| most));
}

//~ a number as a text
fn text_of_a_number() { let _ = Registry::new().file("cards/items.rs", |items| items.text("greeting", 3)); }

//~ a value that no card gives
struct Book;

#[tool_hook]
async fn with_book(#[config] book: Arc<Book>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = book;
    next.run(args).await
}

fn value_that_no_card_gives() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<with_book>());
}

//~ a value without a tuple
fn values_without_a_tuple() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook_with("audit", |_: u32| audit::new()));
}

fn main() {}
