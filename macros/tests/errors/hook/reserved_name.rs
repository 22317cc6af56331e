use onionskin::{Args, tool_hook};

#[tool_hook]
fn str(args: &Args) {}

fn main() {}
