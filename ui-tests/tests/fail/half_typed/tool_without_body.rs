/// Adds one.
#[onionskin::tool]
fn add_one(x: i64) -> i64

fn main() {}
