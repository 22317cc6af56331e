use onionskin::toolbox;

struct Kb;

struct Admin;

#[toolbox(parts = [Admin])]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

fn main() {}
