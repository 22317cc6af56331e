use onionskin::message_hooks::message_hook;
use onionskin::model::Message;
use onionskin::{RunContext, SessionState};

#[message_hook(process_last_received_message)]
pub fn last(session: &SessionState, run: &RunContext, message: &Message) {
    super::note(session, format!("last of {}: {}", run.agent().name(), message.to_text()));
}
