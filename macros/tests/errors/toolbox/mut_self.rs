use onionskin::toolbox;

struct Kb(Vec<String>);

#[toolbox]
impl Kb {
    /// Keeps a note.
    #[tool]
    fn add(&mut self, text: String) {
        self.0.push(text);
    }
}

fn main() {}
