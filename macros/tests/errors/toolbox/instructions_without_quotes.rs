use onionskin::toolbox;

struct Kb;

#[toolbox(instructions = Search before you answer)]
impl Kb {
    /// Searches.
    #[tool]
    fn search(&self, word: String) -> String {
        word
    }
}

fn main() {}
