//! JSON objects whose keys have an order.

use serde_json::{Map, Value};

/// Takes a field out, and leaves the others in their order. `Map::remove` moves the last one to its place where `serde_json`
/// keeps the order of keys, which another crate of the program may have asked for.
pub(crate) fn remove(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = object.get_mut(key)?.take();
    object.retain(|other, _| other != key);
    Some(value)
}
