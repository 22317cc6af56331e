//! States, services and configured values that a hook cannot get.
use std::cell::Cell;

use onionskin::{Args, Next, Provided, State, ToolResult, tool_hook};

//~ a service that is not `Sync`
struct Counter(Cell<u32>);

#[tool_hook]
async fn count(counter: Provided<Counter>, args: &mut Args, next: impl Next) -> ToolResult {
    counter.0.set(counter.0.get() + 1);
    next.run(args).await
}

//~ a state that is not `Clone`
struct Ledger {
    lines: u32,
}

#[tool_hook]
async fn audit(ledger: State<Ledger>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ledger.lines;
    next.run(args).await
}

//~ a configured value that is not `Clone`
struct Limit(u32);

#[tool_hook]
async fn cap(#[config] limit: Limit, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = limit.0;
    next.run(args).await
}

fn main() {}
