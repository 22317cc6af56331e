use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: "time",
    }
}

fn main() {}
