use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time],
        tools: { memory: [read] },
    }
}

fn main() {}
