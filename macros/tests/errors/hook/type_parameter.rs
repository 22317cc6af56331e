use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit<T: Clone, N: Next>(args: &mut Args, next: N) -> ToolResult {
    next.run(args).await
}

fn main() {}
