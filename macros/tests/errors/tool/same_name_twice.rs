use onionskin::tool;

/// Adds.
#[tool]
fn add(x: i64, #[arg(rename = "x")] y: i64) -> i64 {
    x + y
}

fn main() {}
