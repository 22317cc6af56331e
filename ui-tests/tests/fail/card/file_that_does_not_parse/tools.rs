use onionskin::tool;

/// Adds.
#[tool]
pub fn add_one(x: i64) -> i64 {
    x +
}
