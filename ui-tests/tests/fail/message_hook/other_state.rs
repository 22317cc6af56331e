use onionskin::message_hooks::message_hook;
use onionskin::{State, agent};

#[derive(Clone)]
struct Counts;

#[derive(Clone)]
struct Till;

#[message_hook(update_agent_state)]
fn note(counts: &State<Counts>) {
    let _ = counts;
}

agent! { Clerk { instruction: "Answer.", state: Till, message_hooks: [note] } }

fn main() {}
