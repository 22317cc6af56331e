//! The tools of the cards in this folder.

use onionskin::tool;

/// Adds one to a number.
#[tool(effect = pure)]
pub fn add_one(x: i64) -> i64 {
    x + 1
}
