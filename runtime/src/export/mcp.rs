//! MCP's `Tool`.

use serde_json::{Value, json};

use super::error::{ExportError, Provider};
use super::keywords::kinds;
use super::options::ExportOptions;
use super::strict::object;
use crate::tool::{Annotations, ToolDefinition};

/// A tool as MCP lists it: name, title, description, both schemas, hints, `_meta`. MCP has no strict tools.
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
/// If a schema is not of type `object`, or a custom field has a name of the form's own.
pub fn mcp(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let site = options.site(definition, Provider::Mcp);
    let schemas = [Some(&definition.input_schema), definition.output_schema.as_ref()];
    for schema in schemas.into_iter().flatten() {
        if schema.as_object().is_none_or(|schema| kinds(schema) != ["object"]) {
            let next = "give the arguments and the structured result schemas of type `object`";
            return Err(site.refuse("$", "is not of type `object`", next));
        }
    }
    let mut form = object(json!({
        "name": &*definition.name,
        "description": &*definition.description,
        "inputSchema": &*definition.input_schema,
    }));
    if let Some(title) = &definition.title {
        form.insert("title".into(), (**title).into());
    }
    if let Some(schema) = &definition.output_schema {
        form.insert("outputSchema".into(), (**schema).clone());
    }
    if definition.annotations != Annotations::NONE {
        form.insert("annotations".into(), json!(definition.annotations));
    }
    if let Some(meta) = &definition.meta {
        form.insert("_meta".into(), (**meta).clone());
    }
    let reserved =
        ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta", "icons"];
    options.add_fields(&mut form, &reserved, &site)?;
    Ok(Value::Object(form))
}

/// A tool as rmcp's type, which has no place for custom fields: what a client is to be told beside goes into the tool's `meta`.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// let tool = export::mcp_tool(&ToolDefinition::new("now", "Tells the time.")).unwrap();
/// assert_eq!(tool.name, "now");
/// ```
///
/// # Errors
/// If a schema is not of type `object`, or `meta` is no object.
#[cfg(feature = "mcp")]
pub fn mcp_tool(definition: &ToolDefinition) -> Result<rmcp::model::Tool, ExportError> {
    let options = ExportOptions::new();
    serde_json::from_value(mcp(definition, &options)?).map_err(|error| {
        let reason = format!("makes a tool that MCP does not take ({error})");
        options.site(definition, Provider::Mcp).refuse("$", reason, "give `meta` an object")
    })
}
