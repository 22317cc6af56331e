use onionskin::message_hooks::message_hook;

#[message_hook(update_agent_state)]
fn note((first, rest): (u8, u8)) {
    todo!()
}

fn main() {}
