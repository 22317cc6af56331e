use onionskin::{Provided, tool};

struct Pool;

/// Reads.
#[tool]
fn read(#[bind("pool")] pool: Provided<Pool>) -> bool {
    let _ = pool;
    true
}

fn main() {}
