use onionskin::{agent, tool_hook, toolbox};

struct Shelf<S>(S);

struct Memory;

#[toolbox]
impl<S: Send + Sync> Shelf<S> {
    /// Files a text.
    #[tool]
    fn put(&self, text: String) -> String {
        let _ = &self.0;
        text
    }
}

#[tool_hook]
fn mark(output: &mut onionskin::ToolOutput) {
    output.push_text(" (filed)");
}

agent! {
    Librarian {
        instruction: "File.",
        toolboxes: [Shelf<Memory>],
        tool_hooks: [mark for [Shelf<Memory>::put]],
    }
}

fn main() {
    let _ = Librarian::builder().toolbox(Shelf(Memory));
}
