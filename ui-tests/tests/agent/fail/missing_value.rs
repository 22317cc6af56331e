use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        description,
        max_parallel:,
    }
}

fn main() {}
