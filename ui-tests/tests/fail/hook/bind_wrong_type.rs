use onionskin::{Args, Next, ToolResult, tool_hook};

#[derive(Clone)]
struct User {
    name: String,
}

#[tool_hook(state = User)]
async fn audit(#[bind(name)] name: u8, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = name;
    next.run(args).await
}

fn main() {}
