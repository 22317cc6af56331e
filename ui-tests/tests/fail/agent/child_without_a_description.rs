use onionskin::agent;

agent! {
    Researcher {
        instruction: "Look things up.",
    }

    Writer {
        instruction: "Write it.",
        agents: [Researcher],
    }
}

fn main() {}
