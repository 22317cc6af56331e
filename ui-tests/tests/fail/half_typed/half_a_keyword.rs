#[onionskin::tool_hook]
asyn fn audit(args: &mut onionskin::Args) {}

fn main() {}
