use onionskin::tool;

/// Adds one.
#[tool]
struct AddOne;

fn main() {}
