use onionskin::tool;

/// Adds one.
#[tool]
fn add_one(#[arg(default = "five")] x: i64) -> i64 {
    x + 1
}

fn main() {}
