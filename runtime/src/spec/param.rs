//! The parameters of a tool, one by one.

use std::collections::HashSet;

use serde_json::{Map, Value};

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

/// The parameters that the schema of a tool's arguments has, in its order.
pub(super) fn params(schema: &Value) -> Vec<SpecParam> {
    let properties = schema["properties"].as_object().into_iter().flat_map(Map::iter);
    let required: HashSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    properties
        .map(|(name, property)| SpecParam {
            name: name.clone(),
            description: property["description"].as_str().unwrap_or_default().to_owned(),
            schema: property.clone(),
            required: required.contains(name.as_str()),
            default: property.get("default").cloned(),
        })
        .collect()
}
