use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { time_sec: 30s },
    }
}

fn main() {}
