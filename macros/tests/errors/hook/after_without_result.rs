use onionskin::{Args, tool_hook};

#[tool_hook(after)]
async fn audit(args: &Args) {}

fn main() {}
