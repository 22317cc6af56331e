//! Finds limits in a schema that decoding into the type does not check.

use serde_json::Value;

use super::integers::{format_bounds, truncated};
use super::keywords::subschemas;

/// Whether a schema limits values beyond what decoding into its type checks.
pub(crate) fn has_limits(schema: &Value) -> bool {
    let is_limit = |(key, value): (&String, &Value)| match key.as_str() {
        "minimum" | "maximum" => !implied_by_format(schema, key, value),
        // A fixed-size array has both; decoding checks them.
        "minItems" | "maxItems" => schema.get("minItems") != schema.get("maxItems"),
        "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "pattern"
        | "uniqueItems" | "minProperties" | "maxProperties" | "not" | "if" | "contains" | "propertyNames"
        | "dependentRequired" | "dependentSchemas" | "dependencies" => true,
        _ => false,
    };
    schema.as_object().into_iter().flatten().any(is_limit)
        || subschemas(schema).iter().any(|part| has_limits(part.schema))
}

/// `u8` has the bounds 0 to 255, which the type itself checks.
fn implied_by_format(schema: &Value, key: &str, value: &Value) -> bool {
    let implied = match (format_bounds(&schema["format"]), schema["format"].as_str()) {
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
    value.as_number().is_some() && truncated(value) == Some(implied)
}
