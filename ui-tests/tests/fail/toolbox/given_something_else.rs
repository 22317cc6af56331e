use onionskin::{agent, toolbox};

struct Kb;

#[toolbox]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

agent! {
    Librarian {
        instruction: "Keep notes.",
        toolboxes: [Kb],
    }
}

fn main() {
    let _ = Librarian::builder().toolbox("kb");
}
