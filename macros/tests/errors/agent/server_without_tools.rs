use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time],
        tools: { time: [] },
    }
}

fn main() {}
