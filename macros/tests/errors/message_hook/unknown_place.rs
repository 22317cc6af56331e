use onionskin::message_hooks::{SentMessage, message_hook};

#[message_hook(process_message_before_sent)]
fn redact(message: &mut SentMessage) {
    todo!()
}

fn main() {}
