//! Closes the schemas of structs, so that a key without a field is refused and not dropped.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// Forbids additional properties in each object with fixed fields. Flattened objects stay open: several schemas share
/// their keys, and none of them knows all.
pub(crate) fn close(root: &mut Value) {
    // Most tools take scalars only, and every tool's schema passes here.
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
    schema.as_object().is_some_and(|object| {
        object.keys().any(|key| {
            matches!(
                key.as_str(),
                "properties"
                    | "patternProperties"
                    | "additionalProperties"
                    | "items"
                    | "prefixItems"
                    | "anyOf"
                    | "oneOf"
                    | "allOf"
                    | "$ref"
            )
        })
    })
}

/// Whether there is more to say of a schema's values than that they are of one plain type: its fields, or the texts of an enum's variants, which a
/// type may read from an object too.
pub(crate) fn has_forms(schema: &Value) -> bool {
    let members = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    has_parts(schema) || members.chain(schema.get("const")).any(Value::is_string)
}

/// Finds the references beside other keywords for the same object.
fn find_joined(schema: &Value, is_part: bool, joined: &mut HashSet<String>) {
    let Value::Object(object) = schema else { return };
    if (is_part || joins(object))
        && let Some(target) = object.get("$ref").and_then(Value::as_str)
    {
        joined.insert(target.to_owned());
    }
    each_part(object, |part, is_beside| find_joined(part, is_beside && (is_part || joins(object)), joined));
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
    let is_whole = is_joined && !is_part;
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "patternProperties", Value::Object(named)) => {
                for part in named.values_mut() {
                    walk(part, false, joined);
                }
            }
            ("$defs", Value::Object(named)) => {
                for (name, part) in named {
                    walk(part, joined.contains(&format!("#/$defs/{name}")), joined);
                }
            }
            ("items" | "additionalProperties", part) => walk(part, false, joined),
            ("prefixItems", Value::Array(parts)) => {
                for part in parts {
                    walk(part, false, joined);
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                if is_joined && key == "anyOf" {
                    say_nothing(parts);
                }
                for part in parts {
                    walk(part, is_joined, joined);
                }
            }
            _ => {}
        }
    }
    // The parts are changed by now.
    if is_whole && is_struct(object) && tells_names(object) {
        object.insert("unevaluatedProperties".into(), false.into());
    }
}

/// Whether an object and its parts name all fields. A part that a reference leads to does so where it is checked.
fn tells_names(object: &Object) -> bool {
    let says = |key: &str| object.contains_key(key);
    let mut parts =
        ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| object.get(key)?.as_array()).flatten();
    !says("additionalProperties")
        && !says("patternProperties")
        && ["properties", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"].into_iter().any(says)
        && parts.all(|part| part.as_object().is_some_and(tells_names))
}

/// A flattened `Option` of an enum is the enum or anything. What is neither would be read as `None`, and what the model wrote would be lost. So the
/// other option is an object without any key of the enum.
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
    let parts = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    own.chain(parts.flat_map(field_names)).collect()
}

/// Calls `look` with each nested schema, and whether it applies to the same value.
fn each_part<'s>(object: &'s Object, mut look: impl FnMut(&'s Value, bool)) {
    for (key, value) in object {
        match (key.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                for part in named.values() {
                    look(part, false);
                }
            }
            ("items" | "additionalProperties", part) => look(part, false),
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                for part in parts {
                    look(part, key != "prefixItems");
                }
            }
            _ => {}
        }
    }
}

/// Whether several schemas together define the object's fields.
fn joins(object: &Object) -> bool {
    let has = |key: &str| object.contains_key(key);
    has("allOf") || (has("properties") && (has("anyOf") || has("oneOf") || has("$ref")))
}

/// Whether it has fixed fields and does not decide about additional ones.
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
