use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: 3,
    }
}

fn main() {}
