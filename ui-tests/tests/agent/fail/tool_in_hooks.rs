// The last error is ours and stands at the entry. The others are the compiler's: the core holds the ring of typed
// hooks, whose type is asked of each hook, so that it meets the same fault again wherever it looks into the core.
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
