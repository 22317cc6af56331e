use onionskin::tool;

/// Adds one.
#[tool]
fn add_one(#[arg(length(1..=3))] x: Option<i64>) -> Option<i64> {
    x
}

fn main() {}
