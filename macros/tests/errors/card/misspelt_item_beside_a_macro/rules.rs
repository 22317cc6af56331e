use onionskin::tool;

/// A number.
macro_rules! three {
    () => {
        3
    };
}

/// Adds.
#[tool]
pub fn add_three(x: i64) -> i64 {
    x + three!()
}
