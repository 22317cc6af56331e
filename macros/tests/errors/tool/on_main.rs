use onionskin::tool;

/// Begins.
#[tool]
fn main() {}
