use onionskin::{Args, Next, ToolResult, guardrail};

#[guardrail(input)]
async fn check(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
