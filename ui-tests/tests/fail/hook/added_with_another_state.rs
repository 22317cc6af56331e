//! A hook that is added at run time works on the agent's state, as a declared one does.
use onionskin::{State, agent, tool_hook};

#[derive(Clone)]
struct Ledger;

#[derive(Clone)]
struct Diary;

#[tool_hook]
fn note(diary: State<Diary>) {
    drop(diary);
}

agent! {
    Clerk { instruction: "Add.", state: Ledger }
}

fn main() {
    drop(Clerk::builder().state(Ledger).hook(note::new()));
}
