use onionskin::{Args, Hook, Next, ToolContext, ToolResult, made};

struct Ledger;

struct Limit;

impl From<(u32,)> for Limit {
    fn from((_,): (u32,)) -> Self {
        Self
    }
}

impl Hook for Limit {
    type Made = made::FromValues<(u32,), Ledger>;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
