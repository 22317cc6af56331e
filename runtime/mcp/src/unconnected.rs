//! Tools made of a description alone, without a server to call.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use rmcp::model::Tool;
use serde_json::Value;

use super::convert;
use onionskin_core::Args;
use onionskin_core::ToolContext;
use onionskin_core::ToolSpec;
use onionskin_core::servers::ServerKind;
use onionskin_core::spec::SpecError;
use onionskin_core::{DynTool, ToolDefinition};
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};

/// A description of a tool of an MCP server: JSON, or, with feature `rmcp3`, rmcp's type. Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe an MCP tool",
    label = "not a description of an MCP tool",
    note = "give the tool's JSON, as text or as a `serde_json::Value`, or rmcp's `Tool`"
)]
pub trait McpDescription {
    /// The description as JSON.
    ///
    /// # Errors
    /// Returns an error if the value is not a description.
    fn into_json(self) -> Result<Value, SpecError>;
}

impl McpDescription for Value {
    fn into_json(self) -> Result<Value, SpecError> {
        Ok(self)
    }
}

impl McpDescription for &str {
    fn into_json(self) -> Result<Value, SpecError> {
        serde_json::from_str(self).map_err(|error| unreadable(&error))
    }
}

#[cfg(feature = "rmcp3")]
impl McpDescription for Tool {
    fn into_json(self) -> Result<Value, SpecError> {
        serde_json::to_value(self).map_err(|error| unreadable(&error))
    }
}

#[cfg(feature = "rmcp3")]
impl McpDescription for &Tool {
    fn into_json(self) -> Result<Value, SpecError> {
        serde_json::to_value(self).map_err(|error| unreadable(&error))
    }
}

/// Reads the tool from a description.
pub(super) fn read(description: impl McpDescription) -> Result<Tool, SpecError> {
    let mut tool: Tool =
        serde_json::from_value(description.into_json()?).map_err(|error| unreadable(&error))?;
    if tool.name.is_empty() {
        return Err(SpecError::description("its name is empty"));
    }
    match convert::normalise(&mut tool) {
        Ok(_) => Ok(tool),
        Err(reason) => Err(SpecError::description(format!("of `{}`, {reason}", tool.name))),
    }
}

fn unreadable(error: &serde_json::Error) -> SpecError {
    SpecError::description(error.to_string())
}

/// A tool of an MCP server was called without a connection to the server.
///
/// It is the source of the tool error that the call ends with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` is only the description of an MCP tool, without a connection to its server{}: start the server with \
     `McpServer::start` and take the tool from it",
    .server.as_ref().map(|server| format!(" `{server}`")).unwrap_or_default()
)]
#[non_exhaustive]
pub struct NotConnected {
    /// The tool.
    pub tool: String,
    /// Its server, if the description came with the name of one.
    pub server: Option<String>,
}

/// A tool without a connection to its server.
struct Unconnected(ToolDefinition);

impl DynTool for Unconnected {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    /// No arguments make it run.
    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        let server = cx.server_name().map(str::to_owned);
        let error = NotConnected { tool: cx.tool_name().to_owned(), server };
        Box::pin(ready(Err(Exit::Tool(ToolError::from_source(error).with_kind(ErrorKind::Remote)))))
    }
}

/// The tool of a description, without a connection.
pub(super) fn unconnected(
    server: Option<&str>,
    description: impl McpDescription,
) -> Result<ToolSpec, SpecError> {
    let tool = read(description)?;
    let name = tool.name.clone();
    let tool = Arc::new(Unconnected(convert::definition(&name, tool)));
    Ok(ToolSpec::from_server(tool, ServerKind::Mcp, server))
}
