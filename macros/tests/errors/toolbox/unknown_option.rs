use onionskin::toolbox;

struct Kb;

#[toolbox(instruction = "Search first.")]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

fn main() {}
