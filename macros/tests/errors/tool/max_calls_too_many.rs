use onionskin::tool;

/// Pays.
#[tool(max_calls = 5_000_000_000)]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
