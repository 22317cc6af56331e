use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        temperature: 0.2,
    }
}

fn main() {}
