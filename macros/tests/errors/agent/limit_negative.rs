use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { turns: -1 },
    }
}

fn main() {}
