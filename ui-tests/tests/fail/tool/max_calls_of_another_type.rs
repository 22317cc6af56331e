use onionskin::tool;

const MOST: i64 = 3;

/// Pays.
#[tool(max_calls = MOST)]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
