use std::cell::Cell;

use onionskin::{Provided, tool};

struct Pool {
    open: Cell<u32>,
}

/// Counts the open connections.
#[tool]
async fn open(pool: Provided<Pool>) -> u32 {
    pool.open.get()
}

fn main() {}
