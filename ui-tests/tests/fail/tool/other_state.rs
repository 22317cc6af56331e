//! A guardrail and a hook of a tool that take another state than the tool, and a tool that takes another state than the agent.
use onionskin::{Args, Next, State, Tool, ToolResult, agent, guardrail, tool, tool_hook};

#[derive(Clone)]
struct Ledger;
#[derive(Clone)]
struct Notes;

#[guardrail(input)]
fn check(args: &Args, state: State<Notes>) { let _ = (args, state); }

#[tool_hook]
async fn audit(args: &mut Args, state: State<Notes>, next: impl Next) -> ToolResult {
    let _ = state;
    next.run(args).await
}

//~ a guardrail of a tool
/// Adds one.
#[tool(input_guardrails = [check])]
fn add_one(x: i64, _: State<Ledger>) -> i64 { x + 1 }

//~ a hook of a tool
/// Adds two.
#[tool(hooks = [audit])]
fn add_two(x: i64, _: State<Ledger>) -> i64 { x + 2 }

agent! { Helper { instruction: "Help.", state: Ledger, function_tools: [add_one, add_two] } }

//~ a tool
/// Counts.
#[tool]
fn count(numbers: State<Vec<u8>>) -> usize { numbers.len() }

fn fits<S, T: Tool<State: onionskin::forms::FitsState<S>>>() {}

fn state_of_another_agent() { fits::<u8, count>(); }

fn main() {}
