use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        hooks: [audit],
    }
}

fn main() {}
