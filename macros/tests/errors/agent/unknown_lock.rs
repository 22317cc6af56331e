use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        lock: loose,
    }
}

fn main() {}
