use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { turns: 0 },
    }
}

fn main() {}
