use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_parallel: 0,
    }
}

fn main() {}
