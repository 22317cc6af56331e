use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_parallel: "many",
        default: 1,
    }
}

fn main() {}
