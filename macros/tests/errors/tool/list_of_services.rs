use onionskin::{Provided, tool};

struct Pool;

/// Reads.
#[tool]
fn read(pools: Vec<Provided<Pool>>) -> usize {
    pools.len()
}

fn main() {}
