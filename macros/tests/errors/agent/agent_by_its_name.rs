use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        agents: ["ticket-labeller"],
    }
}

fn main() {}
