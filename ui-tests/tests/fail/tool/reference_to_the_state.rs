use onionskin::tool;

struct Ledger {
    lines: u32,
}

/// Counts.
#[tool]
fn count(ledger: &Ledger) -> u32 {
    ledger.lines
}

fn main() {}
