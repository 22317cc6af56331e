use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_parallel: -1,
    }
}

fn main() {}
