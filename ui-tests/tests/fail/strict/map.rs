use std::collections::HashMap;

use onionskin::tool;

/// Adds up.
#[tool(strict)]
fn tally(counts: HashMap<String, u32>) -> u32 {
    counts.values().sum()
}

fn main() {}
