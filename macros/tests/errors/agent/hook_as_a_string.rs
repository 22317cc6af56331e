use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: ["hooks.py:audit"],
    }
}

fn main() {}
