use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        role: 7,
    }
}

fn main() {}
