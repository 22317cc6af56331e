use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        agents: [Other { instruction: "Other." }],
    }
}

fn main() {}
