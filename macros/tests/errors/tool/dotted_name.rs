use onionskin::tool;

/// Adds one.
#[tool(name = "math.add_one")]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
