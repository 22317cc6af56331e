use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
    },
    model: "gpt-4o-mini",
}

fn main() {}
