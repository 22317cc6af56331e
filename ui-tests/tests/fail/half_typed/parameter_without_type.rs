#[onionskin::tool_hook]
async fn audit(args: &mut onionskin::Args, next) -> onionskin::ToolResult {
    next.run(args).await
}

fn main() {}
