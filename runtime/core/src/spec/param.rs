//! The parameters of a tool, one by one.

use std::collections::HashSet;

use serde_json::Value;

use crate::definition::ToolDefinition;

/// One parameter of a tool as it is seen.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SpecParam {
    /// Its name.
    pub name: String,
    /// What it is; empty if nobody says.
    pub description: String,
    /// The JSON Schema of its values.
    pub schema: Value,
    /// Whether it cannot be left out.
    pub required: bool,
    /// What it is if it is left out, where the schema says so.
    pub default: Option<Value>,
}

/// The parameters of a tool, in their order.
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
