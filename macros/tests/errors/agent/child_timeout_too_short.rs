use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        child_timeout_sec: 1e-12,
    }
}

fn main() {}
