//! Finds limits in a schema that a type does not check.

use serde_json::Value;

use super::integers::{bounds_of, whole};
use super::keywords::Holds;

/// Whether a schema limits values beyond what decoding into its type checks.
pub(crate) fn has_limits(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, value)| match key.as_str() {
            "minimum" | "maximum" => !implied_by_format(schema, key, value),
            "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength"
            | "pattern" | "uniqueItems" | "minProperties" | "maxProperties" | "not" | "if" | "contains"
            | "propertyNames" | "dependentRequired" | "dependentSchemas" | "dependencies" => true,
            // A fixed-size array has both; decoding checks them.
            "minItems" | "maxItems" => object.get("minItems") != object.get("maxItems"),
            _ => match (Holds::of(key), value) {
                (Holds::Values, _) => false,
                (Holds::NamedSchemas, Value::Object(named)) => named.values().any(has_limits),
                (Holds::NamedSchemas | Holds::Schemas | Holds::Schema | Holds::NoSchema, _) => {
                    has_limits(value)
                }
            },
        }),
        Value::Array(items) => items.iter().any(has_limits),
        _ => false,
    }
}

/// `u8` has the bounds 0 to 255, which the type itself checks.
fn implied_by_format(schema: &Value, key: &str, value: &Value) -> bool {
    let implied = match (bounds_of(&schema["format"]), schema["format"].as_str()) {
        (Some([least, most]), _) => {
            if key == "minimum" {
                least
            } else {
                most
            }
        }
        (None, Some("uint128")) if key == "minimum" => 0,
        (None, _) => return false,
    };
    value.as_number().is_some() && whole(value) == Some(implied)
}
