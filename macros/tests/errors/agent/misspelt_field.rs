use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        tool_hook: [],
    }
}

fn main() {}
