use onionskin::{Args, tool_hook};

#[tool_hook]
extern "C" fn audit(args: &Args) {}

fn main() {}
