use onionskin::message_hooks::message_hook;
use onionskin::model::History;

#[message_hook(update_agent_state)]
fn note(messages: &mut History) {
    todo!()
}

fn main() {}
