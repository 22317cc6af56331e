use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { time_sec: "long" },
    }
}

fn main() {}
