use onionskin::message_hooks::message_hook;
use onionskin::turn_hook;

#[turn_hook(before_llm_call)]
#[message_hook(update_agent_state)]
fn note() {}

fn main() {}
