//! Removes `unevaluatedProperties: false`, because constrained decoders do not support it and reject the
//! whole request. The tool itself checks it.

use serde_json::Value;

use crate::schema::change_subschemas;

const UNKNOWN: &str = "unevaluatedProperties";

/// Whether decoders do not support this keyword with this value.
pub(super) fn is_unknown(key: &str, value: &Value) -> bool {
    key == UNKNOWN && *value == Value::Bool(false)
}

/// The schema for a provider.
pub(super) fn decoded(schema: &Value) -> Value {
    let mut schema = schema.clone();
    remove_unknown(&mut schema);
    schema
}

fn remove_unknown(schema: &mut Value) {
    if let Value::Object(keywords) = schema {
        keywords.retain(|key, value| !is_unknown(key, value));
    }
    change_subschemas(schema, |part| remove_unknown(part.schema));
}
