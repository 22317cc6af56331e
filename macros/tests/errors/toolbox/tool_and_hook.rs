use onionskin::{tool_hook, toolbox};

struct Shelf;

#[toolbox]
impl Shelf {
    /// Finds a book.
    #[tool_hook]
    #[tool]
    fn find(&self, title: &str) -> bool {
        title == "Emma"
    }
}

fn main() {}
