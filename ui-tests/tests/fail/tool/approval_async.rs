use onionskin::{Args, tool};

async fn is_large(_: &Args) -> bool {
    true
}

/// Pays.
#[tool(approval = is_large)]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
