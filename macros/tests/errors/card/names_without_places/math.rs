use onionskin::tool;

/// Adds.
#[tool]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

#[derive(Clone, Default)]
pub struct Ledger;
