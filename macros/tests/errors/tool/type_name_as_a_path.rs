use onionskin::tool;

/// Adds one.
#[tool(type_name = names::AddOne)]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
