use onionskin::{Args, agent, tool_hook};

#[tool_hook]
fn audit(args: &Args) {
    let _ = args;
}

agent! { Helper { instruction: "Help.", tool_hooks: [audit::new()] } }

fn main() {}
