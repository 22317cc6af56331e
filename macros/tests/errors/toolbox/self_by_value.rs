use onionskin::toolbox;

struct Kb;

#[toolbox]
impl Kb {
    /// Ends it.
    #[tool]
    fn end(self) {}
}

fn main() {}
