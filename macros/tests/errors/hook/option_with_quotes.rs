use onionskin::{Args, tool_hook};

#[tool_hook("before")]
fn audit(args: &Args) {}

fn main() {}
