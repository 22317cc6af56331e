//! Exports in the form of MCP's `Tool`.

use serde_json::{Map, Value, json};

use super::decoded::decoded;
use super::error::{ExportError, Provider};
use super::keywords::{kinds, object};
use super::options::ExportOptions;
use super::tool_export::ToolExport;
use crate::definition::{Annotations, ToolDefinition};

/// Exports a tool as an item of MCP's `tools/list` result: name, title, description, both schemas,
/// annotations, `_meta`. MCP has no strict tools.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// let exported = export::mcp(&tool, &ExportOptions::new()).unwrap();
/// assert_eq!(exported["inputSchema"]["type"], "object");
/// ```
///
/// # Errors
/// Returns an error if a schema is not of type `object`, if `meta` is not an object, if providers reject the tool's name, or if a custom
/// field has a reserved name.
pub fn mcp(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::MCP, definition, options);
    let mut form = form(definition, &export)?;
    export.add_fields(&mut form, &RESERVED)?;
    Ok(Value::Object(form))
}

/// The field names of MCP's `Tool`.
const RESERVED: [&str; 8] =
    ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta", "icons"];

/// The object without custom fields.
fn form(definition: &ToolDefinition, export: &ToolExport<'_>) -> Result<Map<String, Value>, ExportError> {
    let schemas = [Some(&definition.input_schema), definition.output_schema.as_ref()];
    for schema in schemas.into_iter().flatten() {
        if schema.as_object().is_none_or(|schema| kinds(schema) != ["object"]) {
            let next = "give the arguments and the structured result schemas of type `object`";
            return Err(export.refuse("$", "is not of type `object`", next));
        }
    }
    let mut form = object(json!({
        "name": export.own_name()?,
        "description": export.description(),
        "inputSchema": decoded(&definition.input_schema),
    }));
    if let Some(title) = &definition.title {
        form.insert("title".into(), (**title).into());
    }
    if let Some(schema) = &definition.output_schema {
        form.insert("outputSchema".into(), decoded(schema));
    }
    if definition.annotations != Annotations::NONE {
        form.insert("annotations".into(), json!(definition.annotations));
    }
    if let Some(meta) = &definition.meta {
        if !meta.is_object() {
            return Err(export.refuse("_meta", "is not an object", "give the tool's `meta` an object"));
        }
        form.insert("_meta".into(), (**meta).clone());
    }
    Ok(form)
}

/// As [`mcp`], with custom fields in `_meta`, beside the tool's own `meta`. The field `icons` is MCP's own.
///
/// ```
/// use onionskin::ToolDefinition;
/// use onionskin::export::{self, ExportOptions};
///
/// let options = ExportOptions::new().field("example.com/team", "clocks");
/// let tool = export::mcp_with_meta(&ToolDefinition::new("now", "Tells the time."), &options).unwrap();
/// assert_eq!(tool["_meta"]["example.com/team"], "clocks");
/// ```
///
/// # Errors
/// As [`mcp`]; also if a custom field has the name of a field in the tool's `meta`.
pub fn mcp_with_meta(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::MCP, definition, options);
    let mut form = form(definition, &export)?;
    let (icons, others) = options.clone().split("icons");
    icons.add_fields(&mut form, &[], &export.site)?;
    if others.has_fields() {
        let mut meta = form.remove("_meta").map(object).unwrap_or_default();
        others.add_fields(&mut meta, &RESERVED, &export.site)?;
        form.insert("_meta".into(), meta.into());
    }
    Ok(Value::Object(form))
}
