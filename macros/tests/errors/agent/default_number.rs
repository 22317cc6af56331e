use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        default: 1,
    }
}

fn main() {}
