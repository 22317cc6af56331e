use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time],
        tools: { time: [get_time], time: [convert] },
    }
}

fn main() {}
