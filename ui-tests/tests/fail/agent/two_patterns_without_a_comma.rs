use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time],
        tools: { time: [get_* convert] },
    }
}

fn main() {}
