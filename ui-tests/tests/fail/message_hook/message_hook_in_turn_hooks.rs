use onionskin::agent;
use onionskin::message_hooks::message_hook;

#[message_hook(update_agent_state)]
fn note() {}

agent! { Clerk { instruction: "Answer.", turn_hooks: [note] } }

fn main() {}
