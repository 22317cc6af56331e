use onionskin::message_hooks::message_hook;

#[message_hook(update_agent_state)]
#[message_hook(update_agent_state)]
fn note() {}

fn main() {}
