use onionskin::{agent, tool};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [add_one],
    }
}

fn main() {}
