use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [idle],
        tools: { idle: [get_time] },
    }
}

fn main() {}
