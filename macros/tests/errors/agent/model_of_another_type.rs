use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        model: 4,
    }
}

fn main() {}
