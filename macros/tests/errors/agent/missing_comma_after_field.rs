use onionskin::agent;

agent! {
    Helper {
        instruction: "Help."
        description: "Helps.",
    }
}

fn main() {}
