use onionskin::{Args, Next, ToolOutput, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> Result<ToolOutput, String> {
    next.run(args).await.map_err(|_| "failed".to_owned())
}

fn main() {}
