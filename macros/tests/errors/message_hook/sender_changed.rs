use onionskin::message_hooks::{Participant, message_hook};

#[message_hook(process_message_before_send)]
fn redact(sender: &mut Participant) {
    todo!()
}

fn main() {}
