use onionskin::loader::Registry;
use std::sync::Arc;

use onionskin::{Args, Next, ToolResult, tool_hook};

struct Book;

#[tool_hook]
async fn audit(#[config] book: Arc<Book>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = book;
    next.run(args).await
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<audit>());
}
