use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        agents: ["crates/Other"],
    }
}

fn main() {}
