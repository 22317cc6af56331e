// Several mistakes: each option has a value of another kind, and each is one error.
use onionskin::toolbox;

struct Kb;

#[toolbox(instructions = 3, part = "Admin", parts = Admin, crate = "my_onionskin")]
impl Kb {
    /// Searches.
    #[tool]
    fn search(&self, query: String) -> String {
        query
    }
}

struct Notes;

#[toolbox(instructions, parts = ["Admin", Old, Old])]
impl Notes {
    /// Searches.
    #[tool]
    fn search(&self, query: String) -> String {
        query
    }
}

fn main() {}
