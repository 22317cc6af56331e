use onionskin::tool_hook;

#[tool_hook]
struct Audit;

fn main() {}
