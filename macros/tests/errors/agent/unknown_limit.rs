use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { turn: 10 },
    }
}

fn main() {}
