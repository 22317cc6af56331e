use std::collections::BTreeMap;

use onionskin::tool;

/// Adds up.
#[tool(strict)]
fn tally(name: &str, counts: &[BTreeMap<String, u32>]) -> usize {
    name.len() + counts.len()
}

fn main() {}
