#[onionskin::tool_hook(after
fn audit(output: &onionskin::ToolOutput) {}

fn main() {}
