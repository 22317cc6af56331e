// The last error is ours and stands at the entry. The others are the compiler's: the core holds the ring of typed
// hooks, whose type is asked of each hook, so that it meets the same fault again wherever it looks into the core.
use onionskin::agent;

struct Notes;

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [Notes],
    }
}

fn main() {}
