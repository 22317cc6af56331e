//! One tool of a server, as agents call it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::server::{RemoteTool, Server};
use crate::args::Args;
use crate::context::{Inject, Progress, ToolContext};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::tool::{DynTool, ToolDefinition, arguments_error, fit};

/// A tool of a server.
pub(super) struct McpTool {
    server: Arc<Server>,
    tool: RemoteTool,
}

impl McpTool {
    pub(super) fn new(server: Arc<Server>, tool: RemoteTool) -> Self {
        Self { server, tool }
    }

    /// The arguments, held against the server's schema, so that the model is told of every wrong field at
    /// once, in the same words as for a function. A keyword that is not known here refuses nothing: the server
    /// has the last word.
    fn arguments(&self, args: &mut Args) -> Result<Map<String, Value>, Exit> {
        let definition = &self.tool.definition;
        let refuse = |reason: &dyn std::fmt::Display| {
            let text = format!("Invalid arguments for `{}`; it did not run: {reason}", definition.name);
            Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Arguments))
        };
        if let Some(number) = args.rounded_number() {
            return Err(refuse(&format_args!(
                "the number {number} has more digits than can be sent to a server; write fewer, or text if it takes text"
            )));
        }
        if let Err(error) = args.as_object() {
            return Err(refuse(error));
        }
        fit(definition, args).map_err(|problems| Exit::Tool(arguments_error(&definition.name, &problems)))
    }
}

impl DynTool for McpTool {
    fn definition(&self) -> &ToolDefinition {
        &self.tool.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let arguments = self.arguments(args)?;
            let progress = Progress::inject(cx)?;
            let call = self.server.call(&self.tool.name, arguments, |report| {
                progress.report(report.progress, report.total, report.message);
            });
            call.await
        })
    }
}
