use onionskin::{run_hook, tool_hook};

#[run_hook(pre)]
#[tool_hook]
fn check(input: &str) {
    let _ = input;
}

fn main() {}
