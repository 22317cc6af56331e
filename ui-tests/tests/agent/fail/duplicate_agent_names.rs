use onionskin::agent;

agent! {
    One { name: "worker", instruction: "Work." }
    Two { name: "worker", instruction: "Work." }
}

agent! {
    Helper {
        instruction: "Help.",
        agents: [One, Two],
    }
}

fn main() {}
