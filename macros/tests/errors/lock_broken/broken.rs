use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [clock, time],
        tools: { time: [get_tme] },
    }

    Helper {
        instruction: "Help.",
        servers: [time],
    }
}

fn main() {}
