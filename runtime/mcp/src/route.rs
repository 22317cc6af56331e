//! The tool as a route of an rmcp server.

use rmcp::ErrorData;
use rmcp::handler::server::router::tool::ToolRoute;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolResponse, CallToolResult};
use serde_json::{Value, json};

use super::export::export_tool;
use onionskin_core::Args;
use onionskin_core::Exit;
use onionskin_core::ToolSpec;
use onionskin_core::export::{ExportError, ExportOptions};
use onionskin_core::spec::Execution;

/// The route of a tool.
pub(super) fn route<S: Send + Sync + 'static>(spec: &ToolSpec) -> Result<ToolRoute<S>, ExportError> {
    let (tool, spec) = (export_tool(spec.definition(), &ExportOptions::new())?, spec.share());
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

fn answer(execution: &Execution) -> Result<CallToolResponse, ErrorData> {
    if let Err(exit @ Exit::Abort(_)) = &execution.result {
        return Err(ErrorData::internal_error(exit.to_string(), None));
    }
    let mut form = json!({ "content": execution.content(), "isError": execution.is_error() });
    if let Some(Value::Object(structured)) = execution.structured_content().as_deref() {
        form["structuredContent"] = Value::Object(structured.clone());
    }
    let result: CallToolResult = serde_json::from_value(form).map_err(|error| {
        ErrorData::internal_error(format!("the result cannot be written in MCP: {error}"), None)
    })?;
    Ok(result.into())
}
