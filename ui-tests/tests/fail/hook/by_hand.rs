//! Hooks by hand: how they are made.
use onionskin::{Args, Hook, Next, ToolContext, ToolResult, made};

//~ a state without `State`
struct Ledger;

#[derive(Default)]
struct Stateful;

impl Hook for Stateful {
    type Made = made::ByDefault<Ledger>;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

//~ a value without a tuple
struct OneValue;

impl From<u32> for OneValue {
    fn from(_: u32) -> Self {
        Self
    }
}

impl Hook for OneValue {
    type Made = made::FromValues<u32>;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

//~ no `Default`
struct WithoutDefault;

impl Hook for WithoutDefault {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

//~ no `From`
struct WithoutFrom;

impl Hook for WithoutFrom {
    type Made = made::FromValues<(u32,)>;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

//~ a `Made` of another type
#[derive(Default)]
struct MadeByHand;

impl Hook for MadeByHand {
    type Made = MadeByHand;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

//~ no `Made`
#[derive(Default)]
struct WithoutMade;

impl Hook for WithoutMade {
    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

fn main() {}
