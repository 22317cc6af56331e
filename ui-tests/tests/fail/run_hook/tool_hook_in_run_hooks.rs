use onionskin::{Args, agent, tool_hook};

#[tool_hook]
fn audit(args: &Args) {
    let _ = args;
}

agent! {
    Clerk {
        instruction: "Answer.",
        run_hooks: [audit],
    }
}

fn main() {}
