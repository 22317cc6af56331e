use onionskin::{Args, Next, ToolResult, tool_hook};

trait Audit {
    #[tool_hook]
    async fn audit(&self, args: &mut Args, next: impl Next) -> ToolResult;
}

fn main() {}
