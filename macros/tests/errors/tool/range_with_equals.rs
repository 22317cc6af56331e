use onionskin::tool;

/// Adds one.
#[tool]
fn add_one(#[arg(range = 0..9)] x: i64) -> i64 {
    x + 1
}

fn main() {}
