use onionskin::toolbox;

struct Kb;

trait Search {
    fn search(&self, word: String) -> String;
}

#[toolbox]
impl Search for Kb {
    /// Searches.
    #[tool]
    fn search(&self, word: String) -> String {
        word
    }
}

fn main() {}
