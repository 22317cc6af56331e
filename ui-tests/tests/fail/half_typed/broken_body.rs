#[onionskin::tool_hook]
async fn audit(args: &mut onionskin::Args, next: impl onionskin::Next) -> onionskin::ToolResult {
    let output = next.run(args).;
    output
}

fn main() {}
