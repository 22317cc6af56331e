use onionskin::agent;

agent! {
    instruction: "Help.",
    model: "gpt-4o-mini",
}

fn main() {}
