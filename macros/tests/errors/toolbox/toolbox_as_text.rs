use onionskin::agent;

agent! {
    Librarian {
        instruction: "Keep notes.",
        toolboxes: ["Kb"],
    }
}

fn main() {}
