use onionskin::tool;

const TTL: u64 = 60;

/// Pays.
#[tool(cache(ttl = TTL))]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
