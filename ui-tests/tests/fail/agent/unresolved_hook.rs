use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [audit],
    }
}

fn main() {}
