use onionskin::loader::Registry;
use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool::<audit>());
}
