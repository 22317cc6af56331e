use onionskin::tool;

/// Pays.
#[tool(examples = [example(cents: 5)])]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
