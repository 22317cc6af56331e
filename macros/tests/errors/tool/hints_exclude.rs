use onionskin::tool;

/// Adds one.
#[tool(annotations(read_only, destructive))]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
