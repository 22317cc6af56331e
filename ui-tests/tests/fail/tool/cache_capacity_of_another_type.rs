use onionskin::tool;

const ROOM: &str = "many";

/// Pays.
#[tool(cache(capacity = ROOM))]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
