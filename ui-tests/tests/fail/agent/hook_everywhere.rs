// Each of the mistakes is reported once.
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{State, ToolResult, agent, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
async fn typed(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    next.run(args).await
}

#[derive(Clone)]
struct Ledger;

#[tool_hook]
fn booked(ledger: State<Ledger>) {
    let _ = ledger;
}

agent! { Typed { instruction: "Help.", function_tools: [add_one], tool_hooks: [typed for [everywhere]] } }

agent! { Stateful { instruction: "Help.", state: Ledger, tool_hooks: [booked for [everywhere]] } }

fn main() {}
