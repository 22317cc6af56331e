use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        description: "One.",
        description: "Two.",
    }
}

fn main() {}
