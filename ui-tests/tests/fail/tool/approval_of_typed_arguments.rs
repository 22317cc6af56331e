use onionskin::tool;

fn is_large(cents: u32) -> bool {
    cents > 5
}

/// Pays.
#[tool(approval = is_large)]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
