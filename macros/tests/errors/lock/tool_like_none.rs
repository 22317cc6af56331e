use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [time],
        tools: { time: [sing] },
    }
}

fn main() {}
