use onionskin::message_hooks::message_hook;

struct Desk;

impl Desk {
    #[message_hook(update_agent_state)]
    fn note(&self) {}
}

fn main() {}
