use onionskin::message_hooks::message_hook;
use onionskin::model::History;
use onionskin::{RunContext, SessionState};

#[message_hook(update_agent_state)]
pub fn state(session: &SessionState, run: &RunContext, messages: &History) {
    super::note(session, format!("state of {}: {} messages", run.agent().name(), messages.len()));
}
