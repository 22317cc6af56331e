use onionskin::agent;

struct Check;

agent! {
    Clerk {
        instruction: "Answer.",
        run_hooks: [Check],
    }
}

fn main() {}
