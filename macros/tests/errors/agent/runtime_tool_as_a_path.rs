use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        runtime: [shell::execute],
    }
}

fn main() {}
