use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        output: impl Clone,
    }
}

fn main() {}
