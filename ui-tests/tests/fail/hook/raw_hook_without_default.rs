use onionskin::{Args, Hook, Next, ToolContext, ToolResult, raw_hook};

struct Audit;

impl Hook for Audit {
    raw_hook!(default);

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
