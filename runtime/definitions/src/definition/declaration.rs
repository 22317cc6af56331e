//! The model's view of a tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::definition::ToolDefinition;

/// The model's view of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDeclaration {
    /// The name of the tool as the model sees it (`ToolContext::wire_name`).
    pub name: Arc<str>,
    /// The tool's description.
    pub description: Arc<str>,
    /// The JSON Schema of its arguments.
    pub input_schema: Arc<Value>,
    /// Whether the provider should enforce the schema, in its strict dialect.
    #[serde(default)]
    pub strict: bool,
}

impl ToolDeclaration {
    /// Creates the model's view of a tool, with this name. The schema contains the examples of arguments.
    pub fn new(name: impl Into<Arc<str>>, definition: &ToolDefinition) -> Self {
        Self {
            name: name.into(),
            description: Arc::clone(&definition.description),
            input_schema: shown_schema(definition),
            strict: definition.is_strict(),
        }
    }
}

/// The schema of the arguments, with examples of them.
fn shown_schema(definition: &ToolDefinition) -> Arc<Value> {
    let (schema, examples) = (&definition.input_schema, &definition.examples);
    match &**schema {
        Value::Object(object) if !examples.is_empty() => {
            let mut object = object.clone();
            object.insert("examples".into(), examples.iter().map(|example| example.args.clone()).collect());
            Arc::new(Value::Object(object))
        }
        _ => Arc::clone(schema),
    }
}
