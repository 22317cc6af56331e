use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        servers: [time, time],
    }
}

fn main() {}
