use onionskin::toolbox;

struct Kb;

#[toolbox(parts = [Admin])]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}
}

#[toolbox(part = Admins)]
impl Kb {
    /// Forgets everything.
    #[tool]
    fn clear(&self) {}
}

fn main() {}
