use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        child_timeout_sec: -1,
    }
}

fn main() {}
