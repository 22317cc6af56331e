use onionskin::tool;

/// Pays.
#[tool(cache(ttl = "60s", ttl = "30s"))]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
