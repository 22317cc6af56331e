//! Limits that contradict what they stand beside, where the macro could not see it: a constant, a type of one's own.

use serde_json::Value;

use super::check::check;
use super::param::Param;
use super::schema::type_schema;

/// Holds a parameter's default and its example against its limits, and the limits against its type.
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
        let of_type = type_schema(param);
        for (key, is_beyond) in [("minimum", f64::lt as fn(&f64, &f64) -> bool), ("maximum", f64::gt)] {
            if let (Some(limit), Some(bound)) = (schema[key].as_f64(), of_type[key].as_f64()) {
                assert!(
                    !is_beyond(&limit, &bound),
                    "the {key} {limit} of the parameter `{name}` of the tool `{tool}` is beyond what its type holds, \
                     which is {bound}"
                );
            }
        }
    }
}
