use onionskin::{Provided, tool};

struct Pool;

/// Reads.
#[tool]
fn read(pool: Option<&Provided<Pool>>) -> bool {
    pool.is_some()
}

fn main() {}
