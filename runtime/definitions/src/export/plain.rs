//! An export that is independent of any provider.

use serde_json::{Value, json};

use super::decoded::decoded;
use super::error::{ExportError, Provider, Site};
use super::keywords::object;
use super::openai::{RESERVED, strict_parameters};
use super::options::ExportOptions;
use super::tool_export::ToolExport;
use crate::definition::ToolDefinition;

/// Exports a tool as flat JSON: type, name, description, parameters, and whether the parameters are strict.
///
/// `strict` is true if and only if the parameters are in OpenAI's strict dialect, by themselves or because
/// [`ExportOptions::strict`] rewrote them.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// let exported = export::to_jsonschema(&tool, &ExportOptions::new().field("version", 2)).unwrap();
/// assert_eq!((&exported["strict"], &exported["version"]), (&false.into(), &2.into()));
/// ```
///
/// # Errors
/// Returns an error if the strict dialect is requested and cannot express the schema, if providers reject the
/// tool's name, or if a custom field has a reserved name.
pub fn to_jsonschema(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::PLAIN, definition, options);
    let (parameters, strict) = if export.is_strict() {
        (strict_parameters(&export.site, &definition.input_schema)?, true)
    } else {
        let strict = strict_parameters(&export.site, &definition.input_schema);
        let schema = decoded(&definition.input_schema);
        let holds = strict.is_ok_and(|strict| sorted(strict) == sorted(schema.clone()));
        (schema, holds)
    };
    let mut form = object(json!({
        "type": "function",
        "name": export.name()?,
        "description": export.description(),
        "parameters": parameters,
        "strict": strict,
    }));
    export.add_fields(&mut form, &RESERVED)?;
    Ok(Value::Object(form))
}

/// The schema of a tool's arguments in OpenAI's strict dialect.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// # use serde_json::json;
/// let schema = json!({"type": "object", "properties": {"x": {"type": "integer", "default": 1}}});
/// let tool = ToolDefinition::new("look", "Looks.").with_input_schema(schema);
/// assert_eq!(
///     export::strict_schema(&tool).unwrap(),
///     json!({
///         "type": "object",
///         "properties": {"x": {"type": ["integer", "null"], "description": "(default: 1)"}},
///         "required": ["x"],
///         "additionalProperties": false,
///     })
/// );
/// ```
///
/// # Errors
/// Returns an error if the dialect cannot express the schema.
pub fn strict_schema(definition: &ToolDefinition) -> Result<Value, ExportError> {
    strict_parameters(&Site::new(&definition.name, Provider::OPENAI, false), &definition.input_schema)
}

/// The same schema with sorted `required`, whose order has no meaning.
fn sorted(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                *value = sorted(value.take());
                if let ("required", Value::Array(names)) = (key.as_str(), value) {
                    names.sort_by_key(ToString::to_string);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = sorted(item.take());
            }
        }
        _ => {}
    }
    schema
}
