//! Warnings about parts of a prompt that end the provider's cache. An agent with `prompt_order` or `#[allow(deprecated)]` has none.
#![deny(deprecated)]

use onionskin::{RunContext, agent};

#[derive(Clone)]
struct Visit {
    guest: String,
}

fn greeting(run: &RunContext) -> String {
    run.user().unwrap_or("stranger").to_owned()
}

agent! {
    //~ a place for a field of the state stands before a part that does not change
    Literal { instruction: "Greet {guest}.", markdown: true, state: Visit }
    //~ so does a function
    Function { role: greeting, instruction: "Greet." }
    //~ so does the time
    Time { instruction: "Greet.", add_datetime_to_context: true, expected_output: "One line." }
    //~ so does a value of the session
    Session { instruction: "Speak {session_state.language}.", additional_context: "It is late." }
}

agent! {
    Behind { instruction: "Greet.", add_session_state_to_context: true }
    ByChange { instruction: "Greet {guest}.", markdown: true, state: Visit, prompt_order: by_change }
    Standard { instruction: "Greet {guest}.", markdown: true, state: Visit, prompt_order: standard }
    #[allow(deprecated)]
    Allowed { role: greeting, instruction: "Greet." }
}

fn main() {}
