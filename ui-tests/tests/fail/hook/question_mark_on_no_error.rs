use onionskin::{Args, Next, ToolResult, tool_hook};

struct Trouble;

fn check(_: &Args) -> Result<(), Trouble> {
    Err(Trouble)
}

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    check(args)?;
    next.run(args).await
}

fn main() {}
