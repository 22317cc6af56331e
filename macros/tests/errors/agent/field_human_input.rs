use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        human_input: true,
    }
}

fn main() {}
