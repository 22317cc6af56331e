//! A run: its turns, its tool calls, its hooks.

mod answers;
mod aside;
pub(super) mod ask;
mod attached;
mod batch;
pub(super) mod by_hand;
mod call_counts;
pub(super) mod called_tool;
mod measured;
mod message_hooks;
mod model_request;
mod open_calls;
mod parsing;
mod pause;
mod prefix;
mod request_hash;
pub(super) mod run;
mod run_hooks;
mod shown_deltas;
pub(super) mod spans;
mod spending;
mod stored;
mod tool_call;
mod turn_hooks;
mod turns;
