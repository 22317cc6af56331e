//! Closes the schemas of structs, so that an unknown key is refused rather than dropped.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::keywords::{Applies, KeywordKind, change_subschemas, combined, may_hold_schemas, subschemas};

type Object = Map<String, Value>;

/// Forbids additional properties in each object with fixed fields. Flattened objects stay open: several
/// schemas share their keys, and none of them knows all.
pub(crate) fn close(root: &mut Value) {
    // Every tool's schema passes here, and most have only scalars.
    if is_flat(root) {
        return;
    }
    let mut joined = HashSet::new();
    // Without definitions there are no references.
    if root.get("$defs").is_some() {
        find_joined(root, false, &mut joined);
    }
    walk(root, false, &joined);
}

/// Whether the schema is an object that is closed, and whose fields have no nested schemas.
fn is_flat(root: &Value) -> bool {
    root.get("additionalProperties").is_some()
        && root.as_object().into_iter().flatten().all(|(key, value)| match (key.as_str(), value) {
            ("properties", Value::Object(named)) => !named.values().any(has_parts),
            ("additionalProperties", Value::Bool(closed)) => !closed,
            ("type" | "required" | "description" | "title", _) => true,
            _ => false,
        })
}

/// Whether a schema has nested schemas.
fn has_parts(schema: &Value) -> bool {
    let applies_here = |(key, value): (&String, &Value)| {
        let is_part = || matches!(KeywordKind::new(key).applies(), Some(Applies::ToValue | Applies::ToPart));
        key == "$ref" || (may_hold_schemas(value) && is_part())
    };
    schema.as_object().is_some_and(|object| object.iter().any(applies_here))
}

/// Whether a schema says more about its values than one plain type: fields, or the variants of an enum, which
/// may also be read from an object.
pub(crate) fn has_forms(schema: &Value) -> bool {
    let members = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    has_parts(schema) || members.chain(schema.get("const")).any(Value::is_string)
}

/// Finds the references beside other keywords for the same object.
fn find_joined(schema: &Value, is_part: bool, joined: &mut HashSet<String>) {
    let is_joined = is_part || schema.as_object().is_some_and(joins);
    if is_joined && let Some(target) = schema["$ref"].as_str() {
        joined.insert(target.to_owned());
    }
    for part in subschemas(schema) {
        find_joined(part.schema, is_joined && part.applies == Some(Applies::ToValue), joined);
    }
}

fn walk(schema: &mut Value, is_part: bool, joined: &HashSet<String>) {
    if !has_parts(schema) {
        return;
    }
    let Value::Object(object) = schema else { return };
    let is_joined = is_part || joins(object);
    if !is_joined && is_struct(object) {
        object.insert("additionalProperties".into(), false.into());
    }
    if is_joined && let Some(Value::Array(options)) = object.get_mut("anyOf") {
        say_nothing(options);
    }
    change_subschemas(schema, |part| {
        let is_part = match part.applies {
            Some(Applies::ToValue) => is_joined,
            Some(Applies::ToPart) => false,
            Some(Applies::ByReference) => {
                !joined.is_empty()
                    && joined.contains(&format!("#/{}/{}", part.keyword, part.name.unwrap_or_default()))
            }
            Some(Applies::AsCondition) | None => return,
        };
        walk(part.schema, is_part, joined);
    });
    // The parts are already closed.
    if is_joined && !is_part && schema.as_object().is_some_and(is_struct) && names_all_fields(schema) {
        schema["unevaluatedProperties"] = false.into();
    }
}

/// Whether an object and its parts name all fields. The target of a reference is checked separately.
fn names_all_fields(schema: &Value) -> bool {
    let says = |key: &str| schema.get(key).is_some();
    !says("additionalProperties")
        && !says("patternProperties")
        && ["properties", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"].into_iter().any(says)
        && combined(schema).all(names_all_fields)
}

/// Restricts the `None` option of a flattened `Option` of an enum to objects without any key of the enum.
/// Otherwise serde would read an invalid enum as `None` and drop what the model wrote.
fn say_nothing(parts: &mut [Value]) {
    let names: BTreeSet<String> = parts.iter().flat_map(field_names).map(str::to_owned).collect();
    let Some(anything) = parts.iter_mut().find(|part| part.as_object().is_some_and(Map::is_empty)) else {
        return;
    };
    let none = names.into_iter().map(|name| (name, json!({ "type": "null" }))).collect::<Object>();
    *anything = json!({ "type": "object", "properties": none });
}

/// The names of the fields of a schema and of its options.
pub(super) fn field_names(schema: &Value) -> BTreeSet<&str> {
    let own = schema["properties"].as_object().into_iter().flat_map(Map::keys).map(String::as_str);
    own.chain(combined(schema).flat_map(field_names)).collect()
}

/// Whether several schemas together define the object's fields.
fn joins(object: &Object) -> bool {
    let has = |key: &str| object.contains_key(key);
    has("allOf") || (has("properties") && (has("anyOf") || has("oneOf") || has("$ref")))
}

/// Whether it has fixed fields and neither allows nor forbids additional ones.
fn is_struct(object: &Object) -> bool {
    let is_object = match object.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    };
    let says = |key: &str| object.contains_key(key);
    is_object
        && says("properties")
        && !says("additionalProperties")
        && !says("unevaluatedProperties")
        && !says("patternProperties")
}
