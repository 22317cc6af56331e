use onionskin::agent;

struct Notes;

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [Notes],
    }
}

fn main() {}
