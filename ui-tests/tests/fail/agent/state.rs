//! What cannot be the state of an agent.
use std::cell::Cell;

use onionskin::{State, agent, tool};

//~ state is not clone
struct Ledger;

agent! { Helper { instruction: "Help.", state: Ledger } }

//~ state is not sync
#[derive(Clone)]
struct Count(Cell<u64>);

/// Counts.
#[tool]
fn count(count: State<Count>) -> u64 { count.0.get() }

agent! { Counter { instruction: "Count.", state: Count, function_tools: [count] } }

fn main() {}
