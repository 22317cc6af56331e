use onionskin::{Args, agent, tool_hook};

#[tool_hook]
fn retry(#[config] times: u8, args: &Args) {
    let _ = (times, args);
}

agent! { Helper { instruction: "Help.", tool_hooks: [retry(times = 3)] } }

fn main() {}
