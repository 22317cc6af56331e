use onionskin::{Args, Hook, Next, State, ToolContext, ToolResult, agent, made};

#[derive(Clone)]
struct Ledger;

struct Limit;

impl From<(u32,)> for Limit {
    fn from((_,): (u32,)) -> Self {
        Self
    }
}

impl Hook for Limit {
    type Made = made::FromValues<(u32,)>;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

agent! {
    Clerk {
        instruction: "Work.",
        state: Ledger,
        tool_hooks: [Limit(1, 2)],
    }
}

fn main() {
    let _ = |_: State<Ledger>| ();
}
