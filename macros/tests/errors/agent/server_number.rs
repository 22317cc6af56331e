use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [5],
    }
}

fn main() {}
