use std::cell::Cell;

use onionskin::{State, tool};

#[derive(Clone)]
struct Ledger {
    lines: Cell<u32>,
}

/// Counts.
#[tool]
async fn count(ledger: State<Ledger>) -> u32 {
    ledger.lines.get()
}

fn main() {}
