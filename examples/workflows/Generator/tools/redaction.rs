//! A hook that keeps keys out of messages.

use onionskin::message_hooks::{SentMessage, message_hook};

/// Replaces keys.
#[message_hook(process_message_before_send)]
pub fn redact_before_send(message: &mut SentMessage) {
    message.change_texts(|text| {
        let words = text.split(' ').map(|word| if word.starts_with("sk-") { "[key]" } else { word });
        Some(words.collect::<Vec<_>>().join(" "))
    });
}
