use onionskin::message_hooks::message_hook;
use onionskin::model::History;
use onionskin::{RunContext, SessionState};

#[message_hook(process_all_messages_before_reply)]
pub fn all(session: &SessionState, run: &RunContext, messages: &History) {
    super::note(session, format!("all of {}: {} messages", run.agent().name(), messages.len()));
}
