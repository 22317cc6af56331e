use onionskin::message_hooks::message_hook;

#[message_hook(update_agent_state)]
struct Note;

fn main() {}
