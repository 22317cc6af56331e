use onionskin::{Args, tool_hook};

#[tool_hook]
const fn audit(args: &Args) {}

#[tool_hook]
extern "C" fn log(args: &Args) {}

fn main() {}
