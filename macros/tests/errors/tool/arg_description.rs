use onionskin::tool;

/// Adds one.
#[tool]
fn add_one(#[arg(description = "the number")] x: i64) -> i64 {
    x + 1
}

fn main() {}
