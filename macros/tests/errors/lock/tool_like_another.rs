use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [time],
        tools: { time: [convert_time, get_tme] },
    }
}

fn main() {}
