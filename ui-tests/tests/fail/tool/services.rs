//! Services and states that a tool cannot get.
use std::cell::Cell;

use onionskin::{Args, Provided, State, Tool, ToolContext, ToolDefinition, ToolResult, tool};

//~ a service as an argument
struct Pool;

/// Reads.
#[tool]
fn read(#[arg] pool: Provided<Pool>) -> bool {
    let _ = pool;
    true
}

//~ a service that is not `Sync`
struct NotSync {
    open: Cell<u32>,
}

/// Counts the open connections.
#[tool]
async fn open(pool: Provided<NotSync>) -> u32 { pool.open.get() }

//~ a state that is not `Clone`
struct NotClone {
    lines: u32,
}

/// Counts.
#[tool]
fn count(ledger: State<NotClone>) -> u32 { ledger.lines }

//~ a state that is not `Sync`
#[derive(Clone)]
struct StateNotSync {
    lines: Cell<u32>,
}

/// Counts.
#[tool]
async fn state_is_not_sync(ledger: State<StateNotSync>) -> u32 { ledger.lines.get() }

//~ a state by hand without `State`
struct Ledger;

struct Book;

impl Tool for Book {
    const NAME: &'static str = "book";
    type State = Ledger;

    fn definition(&self) -> &ToolDefinition {
        todo!()
    }

    async fn run(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult {
        Ok("booked".into())
    }
}

fn main() {}
