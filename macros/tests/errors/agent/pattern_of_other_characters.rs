use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time],
        tools: { time: [get+time] },
    }
}

fn main() {}
