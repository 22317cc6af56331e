//! Hooks, guardrails and tools that take another state than the agent has.
use onionskin::message_hooks::message_hook;
use onionskin::{Args, Next, State, ToolResult, agent, guardrail, run_hook, tool, tool_hook};

#[derive(Clone)]
struct Ledger;

#[derive(Clone)]
struct Till;

#[guardrail(input)]
fn check(_args: &Args, _ledger: State<Ledger>) {}

#[tool_hook]
async fn audit(_ledger: State<Ledger>, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64) -> i64 { x + 1 }

/// Adds two.
#[tool(hooks = [audit], input_guardrails = [check])]
fn add_two(x: i64) -> i64 { x + 2 }

//~ a hook
agent! { ByHook { instruction: "Help.", tool_hooks: [audit] } }

//~ a guardrail of a tool
agent! { ByGuardrail { instruction: "Add.", function_tools: [add_one] } }

//~ a hook and a guardrail of a tool
agent! { ByBoth { instruction: "Add.", function_tools: [add_two] } }

//~ a tool that binds a field of another state
#[derive(Clone)]
struct Desk {
    user: String,
}

/// Greets.
#[tool(state = Desk)]
fn greet(#[bind(user)] name: &str) -> String { format!("Hello {name}") }

agent! { Bookkeeper { instruction: "Keep the books.", state: Ledger, function_tools: [greet] } }

//~ a tool
#[derive(Clone)]
struct Counter;

/// Counts.
#[tool]
fn count(counter: State<Counter>) -> bool {
    let _ = counter;
    true
}

agent! { Helper { instruction: "Help.", state: Ledger, function_tools: [count] } }

//~ a run hook
#[run_hook(pre)]
fn check_run(input: &str, state: State<Ledger>) { let _ = (input, state); }

agent! { Clerk { instruction: "Answer.", state: Till, run_hooks: [check_run] } }

fn another_state() { let _ = (Till, Ledger); }

//~ a message hook
#[derive(Clone)]
struct Counts;

#[message_hook(update_agent_state)]
fn note(counts: &State<Counts>) { let _ = counts; }

agent! { OtherState { instruction: "Answer.", state: Till, message_hooks: [note] } }

fn main() {}
