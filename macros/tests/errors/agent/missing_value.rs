use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        description,
    }
}

fn main() {}
