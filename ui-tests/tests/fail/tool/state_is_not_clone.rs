use onionskin::{State, tool};

struct Ledger {
    lines: u32,
}

/// Counts.
#[tool]
fn count(ledger: State<Ledger>) -> u32 {
    ledger.lines
}

fn main() {}
