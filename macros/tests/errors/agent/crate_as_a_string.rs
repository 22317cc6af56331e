use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        crate: "onionskin",
    }
}

fn main() {}
