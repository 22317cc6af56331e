use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { turns: "three" },
    }
}

fn main() {}
