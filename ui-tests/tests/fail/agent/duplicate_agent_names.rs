use onionskin::agent;

agent! {
    One { name: "worker", description: "Works.", instruction: "Work." }
    Two { name: "worker", description: "Works.", instruction: "Work." }
}

agent! {
    Helper {
        instruction: "Help.",
        agents: [One, Two],
    }
}

fn main() {}
