use onionskin::agent;

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [unlocked, time],
        tools: { unlocked: [get_tme], time: [get_*, set_*] },
    }
}

fn main() {}
