//! Reads a value of the wrong type as the right one, where nothing is lost.

use serde_json::Value;

use super::check::{by_pattern, resolve};
use crate::args::Unique;

/// Changes `value` to what `schema` (a part of `root`) wants, where that is possible without loss:
/// `"5"` for a number, `"true"` for a boolean, `5.0` for an integer, a list or an object written as a
/// string. Says whether it changed anything.
pub(crate) fn coerce(value: &mut Value, schema: &Value, root: &Value) -> bool {
    walk(value, schema, root, 0)
}

fn walk(value: &mut Value, schema: &Value, root: &Value, depth: usize) -> bool {
    if depth > 64 {
        return false;
    }
    if let Some(target) = resolve(schema, root) {
        return walk(value, target, root, depth + 1);
    }
    // Only an option beside "nothing" is without doubt what was meant.
    if let Some(options) = schema["anyOf"].as_array() {
        let mut real = options.iter().filter(|option| option["type"] != "null");
        return match (real.next(), real.next()) {
            (Some(only), None) if !value.is_null() => walk(value, only, root, depth + 1),
            _ => false,
        };
    }
    let mut changed = false;
    if let Some(better) = scalar(value, &schema["type"]) {
        *value = better;
        changed = true;
    }
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let property = schema["properties"].get(name);
                let property = property.or_else(|| by_pattern(name, schema.as_object()?));
                let property = property.unwrap_or(&schema["additionalProperties"]);
                changed |= walk(field, property, root, depth + 1);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                changed |= walk(item, schema, root, depth + 1);
            }
        }
        _ => {}
    }
    changed
}

fn scalar(value: &Value, wanted: &Value) -> Option<Value> {
    let wants = |kind: &str| match wanted {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|each| each == kind),
        _ => false,
    };
    match value {
        Value::String(_) if wants("string") => None,
        Value::String(text) => {
            let Unique(inner) = serde_json::from_str(text.trim()).ok()?;
            let fits = match &inner {
                Value::Number(number) => {
                    let same = number.to_string() == text.trim();
                    same && (wants("number") || (wants("integer") && !number.is_f64()))
                }
                Value::Bool(_) => wants("boolean"),
                Value::Array(_) => wants("array"),
                Value::Object(_) => wants("object"),
                _ => false,
            };
            fits.then_some(inner)
        }
        Value::Number(number) if number.is_f64() && wants("integer") && !wants("number") => {
            let number = number.as_f64()?;
            // Whole numbers up to 2^53 are exact in both forms.
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
            (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0)
                .then(|| Value::from(number as i64))
        }
        _ => None,
    }
}
