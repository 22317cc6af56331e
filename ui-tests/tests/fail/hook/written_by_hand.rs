use onionskin::{Args, Hook, Next, ToolContext, ToolResult};

#[derive(Default)]
struct Audit;

impl Hook for Audit {
    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
