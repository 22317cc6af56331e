//! `SnapshotTool` is a tool of a snapshot.

use onionskin_core::ToolDefinition;
use onionskin_core::definition::Annotations;
use serde_json::{Map, Value};

use crate::normal_schema;

/// A tool, as its server described it.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotTool {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) annotations: Annotations,
    pub(super) input_schema: Value,
    pub(super) output_schema: Option<Value>,
}

impl SnapshotTool {
    /// The server's own name for it: `get_time`, and not `time__get_time`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title for people, if the server gave one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The hints about its behaviour. A replay, and the hook that retries, go by them.
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// The description; empty if the server gave none.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of the arguments.
    pub fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    /// The JSON Schema of the structured result, if the server gave one.
    pub fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_ref()
    }

    /// The tool of a definition, under the server's own name for it.
    pub(crate) fn new(name: &str, definition: &ToolDefinition) -> Self {
        Self {
            name: name.to_owned(),
            title: definition.title.as_deref().map(str::to_owned),
            description: definition.description.to_string(),
            annotations: definition.annotations,
            input_schema: sorted(&definition.input_schema),
            output_schema: definition.output_schema.as_deref().map(sorted),
        }
    }

    /// The same tool with its schemas in the normal form. What has none stays as it is.
    pub(super) fn normal(&self) -> Self {
        let mut tool = self.clone();
        if let Value::Object(schema) = &mut tool.input_schema {
            let mut normal = schema.clone();
            if normal_schema::normalise(&mut normal).is_ok() {
                *schema = normal;
            }
        }
        if let Some(Value::Object(schema)) = &mut tool.output_schema {
            normal_schema::normalise_output(schema);
        }
        tool.input_schema = sorted(&tool.input_schema);
        tool.output_schema = tool.output_schema.as_ref().map(sorted);
        tool
    }

    /// The fields of the tool as MCP describes it.
    pub fn fields(&self) -> Map<String, Value> {
        let hints = serde_json::to_value(self.annotations).ok();
        let fields = [
            ("name", Some(self.name.clone().into())),
            ("title", self.title.clone().map(Value::from)),
            ("description", Some(self.description.clone().into())),
            ("annotations", hints.filter(|_| self.annotations != Annotations::default())),
            ("inputSchema", Some(self.input_schema.clone())),
            ("outputSchema", self.output_schema.clone()),
        ];
        fields.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?))).collect()
    }
}

/// The value with the keys of its objects sorted. A server may list them in any order, and `serde_json` keeps it or not, by a feature.
pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            fields.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        plain => plain.clone(),
    }
}
