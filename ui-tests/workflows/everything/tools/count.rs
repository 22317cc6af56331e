//! A state, and the hook that changes it.

use onionskin::State;
use onionskin::message_hooks::message_hook;

/// The number of turns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count(pub u32);

/// Counts a turn.
#[message_hook(update_agent_state)]
pub fn count(count: &State<Count>) {
    count.update(|count| count.0 += 1);
}
