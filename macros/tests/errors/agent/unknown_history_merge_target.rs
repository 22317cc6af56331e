use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        history_merge_target: messages,
    }
}

fn main() {}
