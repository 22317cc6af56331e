//! Limits that contradict a default, an example or a type. The macro cannot check limits with constants or
//! custom types.

use serde_json::Value;

use super::param::Param;
use crate::schema::check;

/// Checks a parameter's default and its example against its limits.
///
/// # Panics
/// Panics if they contradict each other. Building an agent with the tool then fails.
pub(super) fn assert_sound(tool: &str, params: &[Param], input_schema: &Value) {
    for param in params.iter().filter(|param| !param.limits.is_empty()) {
        let name = param.name;
        let schema = &input_schema["properties"][name];
        let values = [
            ("default", param.default.map(|_| &schema["default"])),
            ("example", param.example.map(|_| &schema["examples"][0])),
        ];
        for (what, value) in values {
            // A value that cannot be serialised is skipped.
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            let problems: Vec<_> =
                check(value, schema, input_schema, name).iter().map(ToString::to_string).collect();
            assert!(
                problems.is_empty(),
                "the {what} of the parameter `{name}` of the tool `{tool}` is outside of its limits: {}",
                problems.join("; ")
            );
        }
    }
}

/// The range of a parameter's numeric type, before its limits replace it.
pub(super) struct Bounds {
    minimum: Option<f64>,
    maximum: Option<f64>,
}

impl Bounds {
    /// The range in a type's schema.
    pub(super) fn new(schema: &Value) -> Self {
        Self { minimum: schema["minimum"].as_f64(), maximum: schema["maximum"].as_f64() }
    }

    /// Checks a parameter's limits against the range.
    ///
    /// # Panics
    /// Panics if a limit is outside.
    pub(super) fn assert_hold(&self, tool: &str, name: &str, schema: &Value) {
        let lower = f64::lt as fn(&f64, &f64) -> bool;
        for (key, bound, is_beyond) in [("minimum", self.minimum, lower), ("maximum", self.maximum, f64::gt)]
        {
            if let (Some(limit), Some(bound)) = (schema[key].as_f64(), bound) {
                assert!(
                    !is_beyond(&limit, &bound),
                    "the {key} {limit} of the parameter `{name}` of the tool `{tool}` is beyond what its type holds, \
                     which is {bound}"
                );
            }
        }
    }
}
