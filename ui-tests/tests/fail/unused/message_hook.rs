//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::message_hooks::message_hook;
use onionskin::{State, agent};

#[derive(Clone)]
struct Counts;

#[message_hook(update_agent_state)]
fn listed(counts: &State<Counts>) {
    let _ = counts;
}

#[message_hook(update_agent_state)]
fn forgotten(counts: &State<Counts>) {
    let _ = counts;
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", state: Counts, message_hooks: [listed] }
}

fn main() {
    let _ = Helper::builder().state(Counts);
}
