use onionskin::message_hooks::{Participant, SentMessage, message_hook};

#[message_hook(process_message_before_send)]
fn redact(from: &Participant, message: &mut SentMessage) {
    todo!()
}

fn main() {}
