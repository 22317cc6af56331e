use onionskin::agent;

agent! {
    Helper {
        system_message: "All of it.",
        instruction: "Help.",
    }
}

fn main() {}
