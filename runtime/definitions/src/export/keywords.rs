//! Reads the keywords of JSON Schema.

use std::collections::HashSet;

use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

/// The number of values in a value, itself included; a long text counts for several.
pub(super) fn parts(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(parts).sum::<usize>(),
        Value::Object(fields) => {
            1 + fields.iter().map(|(name, field)| name.len() / 64 + parts(field)).sum::<usize>()
        }
        Value::String(text) => 1 + text.len() / 64,
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// The items of a tuple.
pub(super) fn tuple(schema: &Object) -> Option<&Vec<Value>> {
    match (schema.get("prefixItems"), schema.get("items")) {
        (Some(Value::Array(tuple)), _) | (None, Some(Value::Array(tuple))) => Some(tuple),
        _ => None,
    }
}

/// Removes the description.
pub(super) fn take_description(schema: &mut Object) -> Option<String> {
    match schema.remove("description") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// The names of the properties that a schema of an object requires.
pub(super) fn required(schema: &Object) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The types that a schema names, or that its other keywords imply.
pub(super) fn kinds(schema: &Object) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => {
            let mut seen = HashSet::new();
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| seen.insert(*kind));
            kinds.map(str::to_owned).collect()
        }
        _ => {
            let has = |key: &str| schema.contains_key(key);
            let mut seen = HashSet::new();
            let listed = literals(schema);
            let listed = listed.iter().map(kind_of).filter(|kind| seen.insert(*kind));
            let mut kinds: Vec<String> = listed.map(str::to_owned).collect();
            if kinds.is_empty() && (has("properties") || has("additionalProperties")) {
                kinds.push("object".to_owned());
            } else if kinds.is_empty() && (has("items") || has("prefixItems")) {
                kinds.push("array".to_owned());
            }
            kinds
        }
    }
}

/// The values that a schema lists.
pub(super) fn literals(schema: &Object) -> Vec<Value> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => Vec::new(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether `null` is the only value of the schema.
pub(super) fn is_null(schema: &Value) -> bool {
    schema["type"] == "null" || schema["const"] == Value::Null && schema.get("const").is_some()
}

/// The keywords of a schema that was written as an object.
pub(super) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
