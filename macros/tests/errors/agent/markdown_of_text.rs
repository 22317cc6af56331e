use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        markdown: "yes",
    }
}

fn main() {}
