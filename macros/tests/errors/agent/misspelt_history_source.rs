use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        history_source: orchestra,
    }
}

fn main() {}
