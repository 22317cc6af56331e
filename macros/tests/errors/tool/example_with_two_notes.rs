use onionskin::tool;

/// Pays.
#[tool(examples = [example(cents = 5).note("a").note("b")])]
fn pay(cents: u32) -> u32 {
    cents
}

fn main() {}
