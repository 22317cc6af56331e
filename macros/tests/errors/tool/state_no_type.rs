// Each item is one mistake.
use onionskin::tool;

/// One.
#[tool(state = make())]
fn called() {}

/// Two.
#[tool(state = 5)]
fn number() {}

/// Three.
#[tool(state = &Ledger)]
fn borrowed() {}

/// Four.
#[tool(state = First + Second)]
fn sum() {}

/// Five.
#[tool(state)]
fn alone() {}

/// Six.
#[tool(state(Ledger))]
fn parentheses() {}

/// Seven.
#[tool(state = _)]
fn open() {}

/// Eight.
#[tool(state = Map<String, i64> name = "eight")]
fn no_comma() {}

/// Nine.
#[tool(state = Ledger { first: 1 })]
fn made() {}

fn main() {}
