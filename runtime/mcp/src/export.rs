//! A tool is exported in rmcp's type here.

use onionskin_core::ToolDefinition;
use onionskin_core::export::{self, ExportError, ExportOptions, Provider, ToolExport};
use rmcp::model::Tool;

/// Exports a tool as rmcp's type. Custom fields go into its `_meta`, beside the tool's own `meta`; `icons` has its own
/// field.
///
/// ```
/// use onionskin::export::ExportOptions;
/// use onionskin::mcp;
/// # use onionskin::ToolDefinition;
/// let options = ExportOptions::new()
///     .field("example.com/team", "clocks")
///     .field("icons", serde_json::json!([{ "src": "https://example.com/clock.png" }]));
/// let tool = mcp::export_tool(&ToolDefinition::new("now", "Tells the time."), &options).unwrap();
/// assert_eq!(tool.name, "now");
/// assert_eq!(tool.meta.unwrap()["example.com/team"], "clocks");
/// assert_eq!(tool.icons.unwrap().len(), 1);
/// ```
///
/// # Errors
/// Returns an error if a schema is not of type `object`, if `meta` is not an object, if `icons` is not a list of icons,
/// or if a custom field has a name that the form or the tool's `meta` uses.
#[cfg(feature = "rmcp3")]
pub fn export_tool(definition: &ToolDefinition, options: &ExportOptions) -> Result<Tool, ExportError> {
    let form = export::mcp_with_meta(definition, options)?;
    serde_json::from_value(form).map_err(|error| {
        let reason = format!("makes a tool that MCP does not accept ({error})");
        let next = "give `icons` a list of MCP's icons";
        ToolExport::new(Provider::MCP, definition, options).refuse("$", reason, next)
    })
}
