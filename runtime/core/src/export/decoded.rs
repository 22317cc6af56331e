//! A schema without `unevaluatedProperties: false`, which the decoders that hold a model to a schema do not know: they refuse the whole request.
//! The tool itself checks it.

use serde_json::Value;

use super::rewrite_parts::Object;
use crate::schema::Holds;

const UNKNOWN: &str = "unevaluatedProperties";

/// Whether a decoder does not know this keyword with this value.
pub(super) fn is_unknown(key: &str, value: &Value) -> bool {
    key == UNKNOWN && *value == Value::Bool(false)
}

/// The schema for a provider.
pub(super) fn decoded(schema: &Value) -> Value {
    match schema {
        Value::Object(schema) => Value::Object(decoded_object(schema)),
        other => other.clone(),
    }
}

/// As [`decoded`].
pub(super) fn decoded_object(schema: &Object) -> Object {
    let known = schema.iter().filter(|(key, value)| !is_unknown(key, value));
    let part = |(key, value): (&String, &Value)| {
        let value = match (Holds::of(key), value) {
            (Holds::NamedSchemas, Value::Object(named)) => {
                named.iter().map(|(name, part)| (name.clone(), decoded(part))).collect()
            }
            (Holds::Schemas | Holds::Schema, Value::Array(parts)) => parts.iter().map(decoded).collect(),
            (Holds::Schema, Value::Object(_)) => decoded(value),
            (Holds::NamedSchemas | Holds::Schemas | Holds::Schema | Holds::Values | Holds::NoSchema, _) => {
                value.clone()
            }
        };
        (key.clone(), value)
    };
    known.map(part).collect()
}
