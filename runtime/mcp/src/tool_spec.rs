//! Conversions between tool values and MCP.

use onionskin_core::ToolSpec;
#[cfg(feature = "rmcp3")]
use onionskin_core::export::{ExportError, ExportOptions};
use onionskin_core::spec::SpecError;
#[cfg(feature = "mcp-server")]
use rmcp::handler::server::router::tool::ToolRoute;
#[cfg(feature = "rmcp3")]
use rmcp::model::Tool;

use super::unconnected::{McpDescription, unconnected};

/// Methods of [`ToolSpec`] for MCP. Programs do not implement it: it is sealed, and may get more methods.
pub trait McpToolSpec: Sized + sealed::Sealed {
    /// Makes a tool of an MCP server from its description, to be shown, changed and exported. Calls end with
    /// [`NotConnected`](crate::NotConnected); [`McpServer`](crate::McpServer) gives tools that call the live server.
    ///
    /// ```
    /// use onionskin::ToolSpec;
    /// use onionskin::mcp::McpToolSpec as _;
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
    /// Returns an error if the value is not the description of a tool.
    fn from_mcp(description: impl McpDescription) -> Result<Self, SpecError>;

    /// Makes a tool as [`Self::from_mcp`] does, with the name of the server, which a description does not contain. [`ToolSpec::server_name`]
    /// returns it, and hooks read it from the call's context.
    ///
    /// ```
    /// use onionskin::ToolSpec;
    /// use onionskin::mcp::McpToolSpec as _;
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
    /// Returns an error if the value is not the description of a tool.
    fn from_mcp_of(server: &str, description: impl McpDescription) -> Result<Self, SpecError>;

    /// Exports the tool as MCP lists it, in rmcp's type: [`export_tool`](crate::export_tool).
    ///
    /// # Errors
    /// As [`export_tool`](crate::export_tool).
    #[cfg(feature = "rmcp3")]
    fn to_mcp(&self) -> Result<Tool, ExportError>;

    /// Exports the tool as [`Self::to_mcp`] does, with custom fields. They go into the type's `_meta`, next to the tool's fields.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use onionskin::ToolSpec;
    /// use onionskin::mcp::McpToolSpec as _;
    /// use onionskin::export::ExportOptions;
    /// use serde_json::json;
    ///
    /// let mut spec = ToolSpec::from_fn("now", "The time.", |(): (), _| async { Ok(12) });
    /// spec.options(|options| options.meta = Some(Arc::new(json!({ "example.com/team": "clocks" }))));
    /// let tool = spec.to_mcp_with(&ExportOptions::new().field("example.com/tier", 2)).unwrap();
    /// let meta = tool.meta.unwrap();
    /// assert_eq!((&meta["example.com/team"], &meta["example.com/tier"]), (&json!("clocks"), &json!(2)));
    ///
    /// let clash = spec.to_mcp_with(&ExportOptions::new().field("example.com/team", "bells"));
    /// assert!(clash.unwrap_err().to_string().contains("example.com/team"));
    /// ```
    ///
    /// # Errors
    /// As [`export_tool`](crate::export_tool).
    #[cfg(feature = "rmcp3")]
    fn to_mcp_with(&self, options: &ExportOptions) -> Result<Tool, ExportError>;

    /// Makes a route of rmcp's `ToolRouter`: the tool's listing, and a handler that calls it with its bindings, through
    /// its own hooks. It shares the state of this value, so the next call sees later changes.
    ///
    /// The result has structured content beside the text. A tool error is a result with `isError`, a stop is a
    /// result, an abort is an error of the request. A call that the client cancels is dropped.
    ///
    /// ```
    /// use onionskin::mcp::McpToolSpec as _;
    /// use onionskin::tool;
    /// use rmcp::handler::server::router::tool::ToolRouter;
    /// use serde_json::json;
    ///
    /// /// Greets a user.
    /// #[tool]
    /// fn greet(user: &str, word: &str) -> String {
    ///     format!("{word} {user}")
    /// }
    ///
    /// struct Server;
    ///
    /// let mut tool = greet::spec();
    /// tool.bind("user", None, json!("Ada")).unwrap();
    /// let router = ToolRouter::<Server>::new().with_route(tool.to_mcp_route().unwrap());
    /// assert!(!router.list_all()[0].input_schema["properties"].as_object().unwrap().contains_key("user"));
    /// ```
    ///
    /// # Errors
    /// As [`to_mcp`](Self::to_mcp).
    #[cfg(feature = "mcp-server")]
    fn to_mcp_route<S: Send + Sync + 'static>(&self) -> Result<ToolRoute<S>, ExportError>;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for ToolSpec {}

impl McpToolSpec for ToolSpec {
    fn from_mcp(description: impl McpDescription) -> Result<Self, SpecError> {
        unconnected(None, description)
    }

    fn from_mcp_of(server: &str, description: impl McpDescription) -> Result<Self, SpecError> {
        unconnected(Some(server), description)
    }

    #[cfg(feature = "rmcp3")]
    fn to_mcp(&self) -> Result<Tool, ExportError> {
        self.to_mcp_with(&ExportOptions::new())
    }

    #[cfg(feature = "rmcp3")]
    fn to_mcp_with(&self, options: &ExportOptions) -> Result<Tool, ExportError> {
        super::export::export_tool(self.definition(), options)
    }

    #[cfg(feature = "mcp-server")]
    fn to_mcp_route<S: Send + Sync + 'static>(&self) -> Result<ToolRoute<S>, ExportError> {
        super::route::route(self)
    }
}
