//! A hook that counts messages.

use onionskin::SessionState;
use onionskin::message_hooks::message_hook;
use onionskin::model::History;

/// Counts the messages that the agent reads.
#[message_hook(update_agent_state)]
pub fn update_state(state: &SessionState, messages: &History) {
    state.set("message_count", messages.len());
}
