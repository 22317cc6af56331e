use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time { command: "uvx" }],
    }
}

fn main() {}
