//! Hooks by hand: too few values, too many, one of another type, and another state than the agent's.
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

#[derive(Default)]
struct WithTexts;

impl Hook for WithTexts {
    type Made = made::ByDefault<State<String>>;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

//~ too few values
agent! { TooFew { instruction: "Work.", state: Ledger, tool_hooks: [Limit] } }

//~ too many values
agent! { TooMany { instruction: "Work.", state: Ledger, tool_hooks: [Limit(1, 2)] } }

//~ a value of another type
agent! { Wrong { instruction: "Work.", state: Ledger, tool_hooks: [Limit("three")] } }

//~ another state
agent! { OtherState { instruction: "Work.", state: Ledger, tool_hooks: [WithTexts] } }

fn main() {
    let _ = |_: State<Ledger>| ();
}
