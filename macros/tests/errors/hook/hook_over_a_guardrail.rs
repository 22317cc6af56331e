use onionskin::{Args, guardrail, tool_hook};

#[tool_hook]
#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

fn main() {}
