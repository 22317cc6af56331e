//! What a message hook returns.
use onionskin::message_hooks::{Delivery, SentMessage, message_hook};

//~ a delivery before a reply
#[message_hook(update_agent_state)]
fn note() -> Delivery { Delivery::Drop }

//~ a text
#[message_hook(process_message_before_send)]
fn redact(message: &SentMessage) -> String { message.text().to_owned() }

//~ the message
#[message_hook(process_message_before_send)]
fn returns_the_message(message: &mut SentMessage) -> Option<SentMessage> { Some(message.clone()) }

fn main() {}
