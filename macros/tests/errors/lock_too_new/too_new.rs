use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [time],
        tools: { time: [get_tme] },
    }
}

fn main() {}
