use onionskin::message_hooks::message_hook;

struct Till;

#[message_hook(update_agent_state)]
fn note(till: &Till) {
    let _ = till;
}

fn main() {}
