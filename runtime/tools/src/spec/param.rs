//! Parameters of a tool.

use std::collections::HashSet;

use serde_json::Value;

use onionskin_definitions::definition::ToolDefinition;

/// One parameter of a tool's visible form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SpecParam {
    /// The parameter's name.
    pub name: String,
    /// The parameter's description, or an empty string.
    pub description: String,
    /// The JSON Schema of its values.
    pub schema: Value,
    /// Whether the parameter is required.
    pub required: bool,
    /// The default, if the schema has one.
    pub default: Option<Value>,
}

/// The parameters of a tool, in order.
pub(super) fn params(tool: &ToolDefinition) -> Vec<SpecParam> {
    let schema = &*tool.input_schema;
    let required: HashSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let param = |name: &str| {
        let property = &schema["properties"][name];
        SpecParam {
            name: name.to_owned(),
            description: property["description"].as_str().unwrap_or_default().to_owned(),
            schema: property.clone(),
            required: required.contains(name),
            default: property.get("default").cloned(),
        }
    };
    tool.parameter_names().into_iter().map(param).collect()
}
