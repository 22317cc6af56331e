use onionskin::{Args, Hook, Next, ToolContext, ToolResult};

struct Audit;

impl Hook for Audit {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
