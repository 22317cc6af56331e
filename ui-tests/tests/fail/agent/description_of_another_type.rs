use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        description: vec!["Helps."],
    }
}

fn main() {}
