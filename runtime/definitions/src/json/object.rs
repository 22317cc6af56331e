//! JSON objects: ordered keys, and optional fields.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Removes a field and keeps the order of the others. If `serde_json` preserves the order of keys, which any
/// crate of the program can enable, `Map::remove` moves the last field into the gap.
pub fn remove(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = object.get_mut(key)?.take();
    object.retain(|other, _| other != key);
    Some(value)
}

/// Deserialises a present optional field, whose `null` is a value too. The field needs `default` for a
/// missing value.
///
/// # Errors
/// Returns the error of the value.
pub fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}
