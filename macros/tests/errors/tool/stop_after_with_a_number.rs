use onionskin::tool;

/// Pays.
#[tool(stop_after(2))]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
