//! A schema without `unevaluatedProperties: false`, which the decoders that hold a model to a schema do not know: they refuse the whole request.
//! The tool itself checks it.

use serde_json::Value;

use crate::schema::change_subschemas;

const UNKNOWN: &str = "unevaluatedProperties";

/// Whether a decoder does not know this keyword with this value.
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
