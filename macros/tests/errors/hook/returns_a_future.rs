use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
fn audit(args: &mut Args, next: impl Next) -> impl Future<Output = ToolResult> {
    next.run(args)
}

fn main() {}
