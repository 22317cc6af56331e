use onionskin::message_hooks::{Participant, message_hook};

#[message_hook(process_all_messages_before_reply)]
fn note(sender: &Participant) {
    todo!()
}

fn main() {}
