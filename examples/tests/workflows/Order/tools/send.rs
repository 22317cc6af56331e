use onionskin::SessionState;
use onionskin::message_hooks::{Participant, SentMessage, message_hook};

#[message_hook(process_message_before_send)]
pub fn send(
    session: &SessionState,
    sender: &Participant,
    message: &mut SentMessage,
    recipient: &Participant,
) {
    super::note(session, format!("send {sender} -> {recipient}: {}", message.text()));
}
