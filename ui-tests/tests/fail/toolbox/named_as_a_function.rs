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

agent! { Helper { instruction: "Help.", function_tools: [search], toolboxes: [Kb] } }

fn main() {}
