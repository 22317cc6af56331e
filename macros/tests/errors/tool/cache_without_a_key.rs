use onionskin::tool;

/// Pays.
#[tool(cache("60s"))]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
