// Each of two mistakes is reported once, though the compiler meets both in the same types.
use onionskin::agent;

struct Notes;
struct Papers;

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [Notes, Papers],
    }
}

fn main() {}
