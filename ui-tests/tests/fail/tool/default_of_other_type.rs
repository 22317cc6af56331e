use onionskin::tool;

/// Adds one.
#[tool]
fn add_one(#[arg(default = 1.5)] x: i64) -> i64 {
    x + 1
}

fn main() {}
