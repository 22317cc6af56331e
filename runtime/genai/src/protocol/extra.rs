//! The fields of `extra_body` in a request.

use serde_json::{Map, Value};

/// Adds extra fields to a request: objects are merged, `tools` are appended, and any other value replaces the one of the request, as does an
/// object of another `type`.
pub(super) fn add(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (body.get_mut(name), value) {
            (Some(Value::Object(own)), Value::Object(more)) if is_one_kind(own, more) => add(own, more),
            (Some(Value::Array(own)), Value::Array(more)) if name == "tools" => own.extend_from_slice(more),
            _ => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

fn is_one_kind(own: &Map<String, Value>, more: &Map<String, Value>) -> bool {
    let kinds = [own, more].map(|object| object.get("type"));
    !matches!(kinds, [Some(own), Some(more)] if own != more)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn o3_extra_fields_join_those_of_the_request() {
        for (own, extra, expected) in [
            (
                json!({"text": {"format": 1}}),
                json!({"text": {"verbosity": "low"}}),
                json!({"text": {"format": 1, "verbosity": "low"}}),
            ),
            (
                json!({"a": {"b": {"c": 1, "d": 2}}}),
                json!({"a": {"b": {"c": 3}}}),
                json!({"a": {"b": {"c": 3, "d": 2}}}),
            ),
            (json!({"tools": [1]}), json!({"tools": [2]}), json!({"tools": [1, 2]})),
            (
                json!({"toolConfig": {"tools": [1]}}),
                json!({"toolConfig": {"tools": [2]}}),
                json!({"toolConfig": {"tools": [1, 2]}}),
            ),
            (json!({}), json!({"tools": [2]}), json!({"tools": [2]})),
            (
                json!({"stop": ["a"], "seed": 1}),
                json!({"stop": ["b"], "seed": null}),
                json!({"stop": ["b"], "seed": null}),
            ),
            (
                json!({"response_format": {"type": "json_schema", "json_schema": {}}}),
                json!({"response_format": {"type": "json_object"}}),
                json!({"response_format": {"type": "json_object"}}),
            ),
        ] {
            let (Value::Object(mut body), Value::Object(extra)) = (own, extra) else { unreachable!() };
            add(&mut body, &extra);
            assert_eq!(Value::Object(body), expected);
        }
    }
}
