//! Values of the configuration of hooks: too few, too many, of another type, and for no parameter.
use onionskin::message_hooks::message_hook;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{Args, Next, ToolResult, agent, run_hook, tool_hook, turn_hook};

#[tool_hook]
async fn retry(#[config] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = times;
    next.run(args).await
}

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

//~ too few values
agent! { Missing { instruction: "Help.", tool_hooks: [retry] } }

//~ too many values
agent! { TooMany { instruction: "Help.", tool_hooks: [retry(3, 4)] } }

//~ a value of another type
agent! { Wrong { instruction: "Help.", tool_hooks: [retry("three")] } }

//~ a value that no parameter takes
agent! { Needless { instruction: "Help.", tool_hooks: [audit(3)] } }

#[run_hook(post)]
fn sign(#[config] mark: &str, answer: &str) -> String { format!("{answer} {mark}") }

//~ too few values for a run hook
agent! { TooFew { instruction: "Answer.", run_hooks: [sign] } }

//~ a value of another type for a run hook
agent! { WrongValue { instruction: "Answer.", run_hooks: [sign(7)] } }

//~ too many values for a turn hook
#[turn_hook(before_llm_call)]
fn trim(request: &mut TurnRequest) { let _ = request; }

agent! { Clerk { instruction: "Answer.", turn_hooks: [trim(7)] } }

//~ too many values for a message hook
#[message_hook(update_agent_state)]
fn note() {}

agent! { TooManyValues { instruction: "Answer.", message_hooks: [note(1)] } }

fn main() {}
