//! JSON objects: ordered keys, and optional fields.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Removes a field and keeps the order of the others. `Map::remove` moves the last field to its place if `serde_json`
/// preserves the order of keys, which another crate of the program can enable.
pub fn remove(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = object.get_mut(key)?.take();
    object.retain(|other, _| other != key);
    Some(value)
}

/// Reads an optional field that is there: its `null` is a value too. A missing one has to be the `default`.
///
/// # Errors
/// Returns the error of the value.
pub fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}
