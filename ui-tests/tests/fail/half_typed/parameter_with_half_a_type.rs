#[onionskin::tool_hook]
async fn audit(args: &mut , next: impl onionskin::Next) -> onionskin::ToolResult {
    next.run(args).await
}

fn main() {}
