use onionskin::{Args, Next, State, ToolResult, tool_hook};

#[tool_hook]
async fn audit(a: State<u8>, b: State<u16>, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
