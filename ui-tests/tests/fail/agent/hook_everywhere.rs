use onionskin::typed::ArgsOf;
use onionskin::{State, agent, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(tool = add_one)]
fn typed(args: &mut ArgsOf<add_one>) {
    args.x += 1;
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
