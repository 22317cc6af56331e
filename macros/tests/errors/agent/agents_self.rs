use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        agents: [Self],
    }
}

fn main() {}
