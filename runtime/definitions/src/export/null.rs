//! Whether `null` is among the values of a schema, and the schema with it and without it.

use serde_json::{Value, json};

use super::keywords::{Object, is_null, object};

/// Whether `null` is among the values of a schema.
pub(super) fn takes_null(schema: &Object) -> bool {
    match (schema.get("type"), schema.get("anyOf"), schema.get("enum")) {
        (Some(Value::String(kind)), _, _) if kind == "null" => true,
        (_, _, Some(Value::Array(values))) => values.contains(&Value::Null),
        (Some(Value::Array(kinds)), _, _) => kinds.contains(&"null".into()),
        (_, Some(Value::Array(options)), _) => options.iter().any(is_null),
        _ => false,
    }
}

/// The same schema without `null` among its values, if it has other values.
pub(super) fn without_null(mut schema: Object) -> Object {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && values.len() > 1
    {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(options)) = schema.get_mut("anyOf") {
        options.retain(|option| !is_null(option));
        if let [only] = &mut options[..] {
            let mut only = object(only.take());
            if let Some(description) = schema.remove("description") {
                only.insert("description".into(), description);
            }
            return only;
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = &mut kinds[..] {
            let only = only.take();
            schema.insert("type".into(), only);
        }
    }
    schema
}

/// The same schema with `null` among its values. `type_lists` is whether the dialect has lists of types.
pub(super) fn with_null(mut schema: Object, type_lists: bool) -> Object {
    if takes_null(&schema) {
        return schema;
    }
    if let Some(Value::Array(options)) = schema.get_mut("anyOf") {
        options.push(json!({ "type": "null" }));
        return schema;
    }
    let description = schema.remove("description");
    let mut out = union_of(&[Value::Object(schema), json!({ "type": "null" })], type_lists);
    if let Some(description) = description {
        out.insert("description".into(), description);
    }
    out
}

/// A union; `{"type": ["string", "null"]}` for one of a plain type and null, if the dialect has lists of
/// types.
pub(super) fn union_of(union: &[Value], type_lists: bool) -> Object {
    if type_lists
        && let [one, two] = union
        && *two == json!({ "type": "null" })
        && let Some(one) = one.as_object()
        && let Some(Value::String(kind)) = one.get("type")
        && !matches!(kind.as_str(), "object" | "array" | "null")
        && !one.contains_key("enum")
        && !one.contains_key("const")
    {
        let mut out = one.clone();
        out.insert("type".into(), json!([kind, "null"]));
        return out;
    }
    object(json!({ "anyOf": union }))
}
