use onionskin::tool;
use serde_json::{Value, json};

/// Adds one.
#[tool]
pub fn add_one(x: i64) -> Value {
    json!({ "sum": x + 1, "pin": 1234 })
}
