use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        agents: [Reseacher],
    }
}

fn main() {}
