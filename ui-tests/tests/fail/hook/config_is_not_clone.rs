use onionskin::{Args, Next, ToolResult, tool_hook};

struct Limit(u32);

#[tool_hook]
async fn cap(#[config] limit: Limit, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = limit.0;
    next.run(args).await
}

fn main() {}
