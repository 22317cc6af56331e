use onionskin::tool;

/// One.
#[tool]
const ONE: i64 = 1;

fn main() {}
