use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_parallel: 3x,
    }
}

fn main() {}
