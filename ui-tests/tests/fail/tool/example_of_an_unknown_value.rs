use onionskin::tool;

/// Pays.
#[tool(examples = [example(cents = five)])]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
