use onionskin::{Args, guardrail, tool_hook};

#[guardrail(input)]
#[tool_hook]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
