use onionskin::toolbox;

struct Shelf;

#[toolbox]
impl Shelf {
    /// Finds a book.
    #[tool]
    #[tool(retry = 2)]
    fn find(&self, title: &str) -> bool {
        title == "Emma"
    }
}

fn main() {}
