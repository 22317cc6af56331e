use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time: "uvx"],
    }
}

fn main() {}
