use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time, time],
        tools: { time: [] },
    }
}

fn main() {}
