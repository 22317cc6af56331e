//! Whether `null` is among the values of a schema, and the schema without it.

use serde_json::Value;

use super::rewrite_parts::{Object, is_null, object};

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
