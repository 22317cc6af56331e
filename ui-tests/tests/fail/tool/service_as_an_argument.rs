use onionskin::{Provided, tool};

struct Pool;

/// Reads.
#[tool]
fn read(#[arg] pool: Provided<Pool>) -> bool {
    let _ = pool;
    true
}

fn main() {}
