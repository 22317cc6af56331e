use onionskin::message_hooks::message_hook;
use onionskin::model::Message;

#[message_hook(update_agent_state)]
fn note(message: &mut Message) {
    todo!()
}

fn main() {}
