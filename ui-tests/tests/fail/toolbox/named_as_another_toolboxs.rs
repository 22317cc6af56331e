use onionskin::{agent, toolbox};

struct Kb;

#[toolbox]
impl Kb {
    /// Searches.
    #[tool]
    fn search(&self, word: String) -> String {
        word
    }
}

struct Archive;

#[toolbox]
impl Archive {
    /// Searches the archive.
    #[tool(name = "old_search")]
    fn search(&self, word: String) -> String {
        word
    }

    /// Counts.
    #[tool]
    fn search_all(&self, word: String) -> usize {
        word.len()
    }
}

struct Old;

#[toolbox]
impl Old {
    /// Searches what is old.
    #[tool]
    fn search(&self, word: String) -> String {
        word
    }
}

agent! { Helper { instruction: "Help.", toolboxes: [Kb, Archive, old: Old] } }

fn main() {}
