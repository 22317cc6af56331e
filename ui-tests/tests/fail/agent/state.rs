//! What cannot be the state of an agent.
use std::cell::Cell;

use onionskin::{State, agent, tool};

//~ a state that is not `Clone`
struct Ledger;

agent! { Helper { instruction: "Help.", state: Ledger } }

//~ a state that is not `Sync`
#[derive(Clone)]
struct Count(Cell<u64>);

/// Counts.
#[tool]
fn count(count: State<Count>) -> u64 { count.0.get() }

agent! { Counter { instruction: "Count.", state: Count, function_tools: [count] } }

fn main() {}
