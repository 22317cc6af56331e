//! Tools of MCP servers, from their descriptions.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use rmcp::model::Tool;
use serde_json::Value;

use super::error::SpecError;
use super::toolspec::ToolSpec;
use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::tool::{DynTool, ToolDefinition};

/// What describes a tool of an MCP server: its JSON, or `rmcp`'s type for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe an MCP tool",
    label = "not a description of an MCP tool",
    note = "give the tool's JSON, as text or as a `serde_json::Value`, or rmcp's `Tool`"
)]
pub trait McpDescription {
    /// The description in `rmcp`'s type.
    ///
    /// # Errors
    /// If it is none.
    fn into_tool(self) -> Result<Tool, SpecError>;
}

impl McpDescription for Tool {
    fn into_tool(self) -> Result<Tool, SpecError> {
        if self.name.is_empty() {
            return Err(SpecError::Description { reason: "its name is empty".to_owned() });
        }
        if let Some(reason) = crate::mcp::unwalkable(&self) {
            return Err(SpecError::Description { reason: format!("of `{}`, {reason}", self.name) });
        }
        Ok(self)
    }
}

impl McpDescription for &Tool {
    fn into_tool(self) -> Result<Tool, SpecError> {
        self.clone().into_tool()
    }
}

impl McpDescription for Value {
    fn into_tool(self) -> Result<Tool, SpecError> {
        serde_json::from_value::<Tool>(self).map_err(|error| unreadable(&error))?.into_tool()
    }
}

impl McpDescription for &str {
    fn into_tool(self) -> Result<Tool, SpecError> {
        serde_json::from_str::<Tool>(self).map_err(|error| unreadable(&error))?.into_tool()
    }
}

fn unreadable(error: &serde_json::Error) -> SpecError {
    SpecError::Description { reason: error.to_string() }
}

/// A tool of an MCP server was called, and there is no connection to the server.
///
/// It is the source of the tool error that the call ends with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` is only the description of an MCP tool, without a connection to its server{}: start the server with \
     `McpServer::start` and take the tool from it",
    .server.as_ref().map(|server| format!(" `{server}`")).unwrap_or_default()
)]
pub struct NotConnected {
    /// The tool.
    pub tool: String,
    /// Its server, where the description was given with its name.
    pub server: Option<String>,
}

/// A tool whose server is not there.
struct Unconnected(ToolDefinition);

impl DynTool for Unconnected {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        let server = cx.server_name().map(str::to_owned);
        let error = NotConnected { tool: cx.tool_name().to_owned(), server };
        Box::pin(ready(Err(Exit::Tool(ToolError::from_source(error).with_kind(ErrorKind::Remote)))))
    }
}

impl ToolSpec {
    /// A tool of an MCP server from its description, to be shown, changed and exported. Calls end with
    /// [`NotConnected`]; [`McpServer`](crate::mcp::McpServer) gives tools that call the live server.
    ///
    /// ```
    /// use onionskin::ToolSpec;
    /// use serde_json::json;
    ///
    /// let spec = ToolSpec::from_mcp(json!({
    ///     "name": "my_tool",
    ///     "description": "Tool description",
    ///     "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    /// }))?;
    /// assert_eq!((spec.name(), &*spec.params()[0].name), ("my_tool", "city"));
    /// assert!(spec.call_blocking(json!({ "city": "Rome" })).is_err());
    /// # Ok::<_, onionskin::spec::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// If it is no description of a tool.
    pub fn from_mcp(description: impl McpDescription) -> Result<Self, SpecError> {
        unconnected(None, description)
    }

    /// As [`Self::from_mcp`], with the name of the server, which a description does not hold: [`Self::server_name`] gives
    /// it, and hooks read it in the call's context.
    ///
    /// ```
    /// use onionskin::ToolSpec;
    /// use serde_json::json;
    ///
    /// let description = json!({ "name": "get_time", "inputSchema": {"type": "object"} });
    /// let spec = ToolSpec::from_mcp_of("time", description)?;
    /// assert_eq!((spec.name(), spec.server_name()), ("get_time", Some("time")));
    /// let error = spec.call_blocking(json!({})).unwrap_err().to_string();
    /// assert!(error.contains("without a connection to its server `time`"), "{error}");
    /// # Ok::<_, onionskin::spec::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// If it is no description of a tool.
    pub fn from_mcp_of(server: &str, description: impl McpDescription) -> Result<Self, SpecError> {
        unconnected(Some(server), description)
    }
}

fn unconnected(server: Option<&str>, description: impl McpDescription) -> Result<ToolSpec, SpecError> {
    let tool = description.into_tool()?;
    let name = tool.name.clone();
    Ok(ToolSpec::of_server(Arc::new(Unconnected(crate::mcp::definition(&name, tool))), server))
}
