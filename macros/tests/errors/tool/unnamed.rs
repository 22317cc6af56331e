use onionskin::tool;

/// Ignores it.
#[tool]
fn ignore(_: i64) {}

fn main() {}
