use onionskin::message_hooks::{SentMessage, message_hook};

#[message_hook(process_message_before_send)]
fn redact(message: &SentMessage) -> String {
    message.text().to_owned()
}

fn main() {}
