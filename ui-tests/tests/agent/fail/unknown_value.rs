use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        history_source: orchestra,
        history_merge_target: messages,
    }
}

fn main() {}
