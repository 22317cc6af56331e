use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_parallel: "many",
    }
}

fn main() {}
