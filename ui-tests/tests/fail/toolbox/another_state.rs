use onionskin::{State, agent, toolbox};

#[derive(Clone)]
struct Settings;

struct Kb;

#[toolbox]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self, settings: State<Settings>) {
        drop(settings);
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
