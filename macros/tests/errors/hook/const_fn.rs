use onionskin::{Args, tool_hook};

#[tool_hook]
const fn audit(args: &Args) {}

fn main() {}
