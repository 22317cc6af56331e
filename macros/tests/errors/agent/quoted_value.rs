use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        history_source: "child",
    }
}

fn main() {}
