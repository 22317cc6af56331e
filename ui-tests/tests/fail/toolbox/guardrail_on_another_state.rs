use onionskin::{Args, State, agent, guardrail, toolbox};

#[derive(Clone)]
struct Settings;

#[guardrail(input)]
fn check(_args: &Args, _settings: State<Settings>) {}

struct Kb;

#[toolbox]
impl Kb {
    /// Finds a note.
    #[tool(input_guardrails = [check])]
    fn find(&self, text: String) -> String {
        text
    }
}

agent! {
    Librarian {
        instruction: "Keep notes.",
        toolboxes: [Kb],
        state: u32,
    }
}

fn main() {}
