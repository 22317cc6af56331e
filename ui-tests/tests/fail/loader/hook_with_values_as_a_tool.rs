use onionskin::loader::Registry;
use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn cap(#[config] most: usize, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = most;
    next.run(args).await
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool::<cap>());
}
