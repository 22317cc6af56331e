use onionskin::toolbox;

struct Kb;

#[toolbox]
impl Kb {
    /// Finds a note.
    #[tool]
    fn find(&self) {}

    /// Finds a book.
    #[tool(name = "find")]
    fn find_book(&self) {}
}

fn main() {}
