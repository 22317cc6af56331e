use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        child_timeout_sec: 30ms,
    }
}

fn main() {}
