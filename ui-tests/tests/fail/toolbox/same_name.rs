//! A method with the name of a function, and one with the name of another toolbox's method.
use onionskin::{agent, tool, toolbox};

struct Kb;

#[toolbox]
impl Kb {
    /// Searches.
    #[tool]
    fn search(&self, word: String) -> String {
        word
    }
}

/// Searches too.
#[tool]
fn search(word: String) -> String {
    word
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

//~ the name of a function
agent! { AsAFunction { instruction: "Help.", function_tools: [search], toolboxes: [Kb] } }

//~ the name of a method of another toolbox
agent! { AsAMethod { instruction: "Help.", toolboxes: [Kb, Archive, old: Old] } }

fn main() {}
