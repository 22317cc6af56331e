//! Hooks where they cannot run, and filters of hooks.
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{Args, Next, State, ToolResult, agent, tool, tool_hook, toolbox};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

//~ a typed hook before another hook
#[tool_hook(tool = add_one)]
async fn clamp(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

agent! { Helper { instruction: "Help.", function_tools: [add_one], tool_hooks: [clamp, audit] } }

//~ a typed hook on a tool that the agent does not have
/// Subtracts one.
#[tool]
fn subtract_one(x: i64) -> i64 { x - 1 }

/// Lets only small numbers through.
#[tool_hook(tool = add_one)]
async fn small(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

agent! { Calculator { instruction: "Calculate.", function_tools: [subtract_one], tool_hooks: [small] } }

#[tool_hook(tool = add_one)]
async fn typed(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

#[derive(Clone)]
struct Ledger;

#[tool_hook]
fn booked(ledger: State<Ledger>) { let _ = ledger; }

//~ a typed hook everywhere
agent! { Typed { instruction: "Help.", function_tools: [add_one], tool_hooks: [typed for [everywhere]] } }

//~ a hook with a state everywhere
agent! { Stateful { instruction: "Help.", state: Ledger, tool_hooks: [booked for [everywhere]] } }

//~ a filter that names no method of the toolbox
struct Stock;

#[toolbox]
impl Stock {
    /// Puts something in.
    #[tool]
    fn put(&self) -> bool {
        true
    }
}

agent! { FilterNamesNoMethodOfAToolbox { instruction: "Help.", toolboxes: [Stock], tool_hooks: [audit for [Stock::putt]] } }

fn main() {}
