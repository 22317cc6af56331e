use onionskin::tool;

/// Sets a value.
#[tool(strict)]
fn set(pair: (String, i64)) -> i64 {
    pair.1
}

fn main() {}
