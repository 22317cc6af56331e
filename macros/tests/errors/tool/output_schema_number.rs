use onionskin::tool;

/// Adds one.
#[tool(output_schema = 3)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
