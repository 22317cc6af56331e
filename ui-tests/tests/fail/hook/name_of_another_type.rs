use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(name: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = name;
    next.run(args).await
}

fn main() {}
