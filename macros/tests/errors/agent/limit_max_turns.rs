use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { max_turns: 3 },
    }
}

fn main() {}
