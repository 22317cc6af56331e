//! Limits that contradict what they stand beside, where the macro could not see it: a constant, a type of one's own.

use serde_json::Value;

use super::param::Param;
use crate::schema::check;

/// Holds a parameter's default and its example against its limits.
///
/// # Panics
/// If they contradict each other. The tool is defined once, and an agent that has it is then not built.
pub(super) fn assert_sound(tool: &str, params: &[Param], input_schema: &Value) {
    for param in params.iter().filter(|param| !param.limits.is_empty()) {
        let name = param.name;
        let schema = &input_schema["properties"][name];
        let values = [
            ("default", param.default.map(|_| &schema["default"])),
            ("example", param.example.map(|_| &schema["examples"][0])),
        ];
        for (what, value) in values {
            // Nothing is there if it cannot be written as JSON.
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

/// The numbers that a parameter's type holds, before its limits are written over them.
pub(super) struct Bounds {
    minimum: Option<f64>,
    maximum: Option<f64>,
}

impl Bounds {
    /// Those of a type of this schema.
    pub(super) fn of(schema: &Value) -> Self {
        Self { minimum: schema["minimum"].as_f64(), maximum: schema["maximum"].as_f64() }
    }

    /// Holds a parameter's limits to them.
    ///
    /// # Panics
    /// If a limit is beyond them.
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
