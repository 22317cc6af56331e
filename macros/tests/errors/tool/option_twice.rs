use onionskin::tool;

/// Adds one.
#[tool(name = "add", stop_after, name = "add_1")]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
