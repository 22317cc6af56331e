use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time, files],
        tools: { tme: [get_time] },
    }
}

fn main() {}
