//! A method, and a guardrail of a method, that take a state that the agent does not have.
use onionskin::{Args, State, agent, guardrail, toolbox};

#[derive(Clone)]
struct Settings;

struct Notes;

#[toolbox]
impl Notes {
    /// Finds a note.
    #[tool]
    fn find(&self, settings: State<Settings>) {
        drop(settings);
    }
}

#[guardrail(input)]
fn check(_args: &Args, _settings: State<Settings>) {}

struct Guarded;

#[toolbox]
impl Guarded {
    /// Finds a note.
    #[tool(input_guardrails = [check])]
    fn find(&self, text: String) -> String {
        text
    }
}

//~ a method of a toolbox
agent! { ByMethod { instruction: "Keep notes.", toolboxes: [Notes], state: u32 } }

//~ a guardrail of a method
agent! { ByGuardrail { instruction: "Keep notes.", toolboxes: [Guarded], state: u32 } }

fn main() {}
