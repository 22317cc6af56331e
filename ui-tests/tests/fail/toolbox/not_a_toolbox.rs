use onionskin::agent;

struct Kb;

agent! {
    Librarian {
        instruction: "Keep notes.",
        toolboxes: [Kb],
    }
}

fn main() {}
