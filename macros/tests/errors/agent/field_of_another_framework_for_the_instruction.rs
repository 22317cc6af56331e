use onionskin::agent;

agent! {
    Helper {
        system_prompt: "Help.",
        model: "gpt-4o-mini",
    }
}

fn main() {}
