//! Defaults of missing arguments.

use serde_json::{Map, Value};

use super::check::check;

/// Whether an argument is missing: with a strict schema the model writes `null` for it, if `null` is not a
/// value of the parameter.
pub fn is_left_out(given: Option<&Value>, property: &Value, schema: &Value, name: &str) -> bool {
    match given {
        None => true,
        Some(Value::Null) => !check(&Value::Null, property, schema, name).is_empty(),
        Some(_) => false,
    }
}

/// Sets a missing argument to its default, as decoding does, so that policies check the default too. A `null`
/// counts as missing if it is not a value of the parameter. Returns whether anything changed.
pub(crate) fn fill_defaults(object: &mut Map<String, Value>, schema: &Value) -> bool {
    let Some(properties) = schema["properties"].as_object() else { return false };
    let mut changed = false;
    for (name, property) in properties {
        let Some(default) = property.get("default") else { continue };
        if is_left_out(object.get(name), property, schema, name) {
            changed |= object.insert(name.clone(), default.clone()).as_ref() != Some(default);
        }
    }
    changed
}
