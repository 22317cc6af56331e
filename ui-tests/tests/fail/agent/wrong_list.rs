//! Items of one kind in the list of another.
use onionskin::message_hooks::message_hook;
use onionskin::{Args, Next, ToolResult, agent, guardrail, run_hook, tool, tool_hook, toolbox, turn_hook};

struct Notes;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 { x + 1 }

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

#[run_hook(pre)]
fn check(input: &str) { let _ = input; }

//~ a hook in `function_tools`
agent! { HookInTools { instruction: "Help.", function_tools: [audit] } }

//~ a tool in `agents`
agent! { ToolInAgents { instruction: "Help.", agents: [add_one] } }

//~ a tool in `tool_hooks`
agent! { ToolInHooks { instruction: "Help.", tool_hooks: [add_one] } }

//~ a run hook in `tool_hooks`
agent! { RunHookInToolHooks { instruction: "Help.", tool_hooks: [check] } }

//~ a tool hook in `run_hooks`
agent! { ToolHookInRunHooks { instruction: "Help.", run_hooks: [audit] } }

//~ a run hook in `turn_hooks`
agent! { RunHookInTurnHooks { instruction: "Help.", turn_hooks: [check] } }

//~ an agent in `function_tools`
agent! { Other { instruction: "Other." } }

agent! { Helper { instruction: "Help.", function_tools: [Other] } }

//~ a toolbox in `function_tools`
struct Shop;

#[toolbox]
impl Shop {
    /// D.
    #[tool]
    fn buy(&self) -> u8 {
        1
    }
}

agent! { ToolboxInTools { instruction: "Help.", function_tools: [Shop] } }

//~ a guardrail in `tool_hooks`
#[guardrail(input)]
fn guardrail_in_hooks(args: &Args) { let _ = args; }

agent! { GuardrailInHooks { instruction: "Help.", tool_hooks: [guardrail_in_hooks] } }

//~ a type in `function_tools`
agent! { NotATool { instruction: "Help.", function_tools: [Notes] } }

//~ a type in `agents`
agent! { NotAnAgent { instruction: "Help.", agents: [Notes] } }

//~ a type in `tool_hooks`
agent! { NotAHook { instruction: "Help.", tool_hooks: [Notes] } }

struct Books;
struct Papers;

//~ a type that is no hook
//~ another one, and each is reported once, though the compiler meets both in the same types
agent! {
    SeveralWrongHooks {
        instruction: "Help.",
        tool_hooks: [Books, Papers],
    }
}

//~ a type in `run_hooks`
struct Check;

agent! { Clerk { instruction: "Answer.", run_hooks: [Check] } }

//~ a message hook in `turn_hooks`
#[message_hook(update_agent_state)]
fn note() {}

agent! { MessageHookInTurnHooks { instruction: "Answer.", turn_hooks: [note] } }

//~ a turn hook in `message_hooks`
#[turn_hook(before_llm_call)]
fn trim() {}

agent! { TurnHookInMessageHooks { instruction: "Answer.", message_hooks: [trim] } }

fn main() {}
