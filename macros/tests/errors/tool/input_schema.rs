use onionskin::tool;

/// Adds one.
#[tool(input_schema = schema())]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
