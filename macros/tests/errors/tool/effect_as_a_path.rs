use onionskin::{Effect, tool};

/// Pays.
#[tool(effect = Effect::Once)]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {
    let _ = Effect::Once;
}
