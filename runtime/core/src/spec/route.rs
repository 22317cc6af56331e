//! The tool as a route of an rmcp server.

use rmcp::ErrorData;
use rmcp::handler::server::router::tool::ToolRoute;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolResponse, CallToolResult};
use serde_json::{Value, json};

use super::execution::Execution;
use super::toolspec::ToolSpec;
use crate::args::Args;
use crate::error::Exit;
use crate::export::ExportError;

impl ToolSpec {
    /// A route of rmcp's `ToolRouter`: the tool's listing, and a handler that calls it with all that is bound, behind its
    /// own hooks. It keeps the state of this value: what is set there later, the next call sees.
    ///
    /// Structured content stands beside the text. A tool error is a result with `isError`, a graceful stop is a result, an
    /// abort is an error of the request. A call that the client cancels is dropped.
    ///
    /// ```
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
    pub fn to_mcp_route<S: Send + Sync + 'static>(&self) -> Result<ToolRoute<S>, ExportError> {
        let (tool, spec) = (self.to_mcp()?, self.share());
        Ok(ToolRoute::new_dyn(tool, move |call: ToolCallContext<'_, S>| {
            let (spec, cancelled) = (spec.share(), call.request_context.ct);
            let args = Args::new(call.arguments.unwrap_or_default());
            Box::pin(async move {
                match cancelled.run_until_cancelled_owned(spec.exec(args)).await {
                    Some(execution) => answer(&execution),
                    None => Err(ErrorData::internal_error(
                        format!("the call of `{}` was cancelled", spec.name()),
                        None,
                    )),
                }
            })
        }))
    }
}

fn answer(execution: &Execution) -> Result<CallToolResponse, ErrorData> {
    if let Err(exit @ Exit::Abort(_)) = &execution.result {
        return Err(ErrorData::internal_error(exit.to_string(), None));
    }
    let mut form = json!({ "content": execution.content(), "isError": execution.is_error() });
    if let Some(Value::Object(structured)) = execution.structured_content().as_deref() {
        form["structuredContent"] = Value::Object(structured.clone());
    }
    let result: CallToolResult = serde_json::from_value(form).map_err(|error| {
        ErrorData::internal_error(format!("the result has no form in MCP: {error}"), None)
    })?;
    Ok(result.into())
}
