//! Defaults of arguments that are left out.

use serde_json::{Map, Value};

use super::check::check;

/// Whether an argument is left out: a strict schema has the model write `null` for that, where `null` is no value of the
/// parameter.
pub(crate) fn is_left_out(given: Option<&Value>, property: &Value, schema: &Value, name: &str) -> bool {
    match given {
        None => true,
        Some(Value::Null) => !check(&Value::Null, property, schema, name).is_empty(),
        Some(_) => false,
    }
}

/// Gives a missing argument its default, as decoding does: a rule for a value holds for its default as well. A `null` is left
/// out where it is no value of the parameter. Says whether it changed anything.
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
