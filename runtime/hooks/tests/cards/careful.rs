use onionskin::tool;

/// Adds two.
#[tool]
pub fn add_two(x: i64) -> i64 {
    x + 2
}
