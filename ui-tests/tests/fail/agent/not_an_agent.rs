use onionskin::agent;

struct Notes;

agent! {
    Helper {
        instruction: "Help.",
        agents: [Notes],
    }
}

fn main() {}
