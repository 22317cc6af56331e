//! Outputs and errors of calls as results of MCP. What a client may not know of the inside goes to the log.

use onionskin_core::content::ContentBlock;
use onionskin_core::text::short;
use onionskin_core::{ErrorKind, RunError, ToolError, ToolOutput};
use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use serde_json::Value;

/// The result of a call that has ended well.
///
/// # Errors
/// Returns an error if the output cannot be written in MCP.
pub(super) fn complete(output: &ToolOutput) -> Result<CallToolResult, ErrorData> {
    result(output.content(), output.structured_content().as_deref(), false)
}

/// The result of a tool error: its content, which is for the model.
///
/// # Errors
/// Returns an error if the content cannot be written in MCP.
pub(super) fn tool_error(error: &ToolError) -> Result<CallToolResult, ErrorData> {
    result(error.content(), error.output().structured_content().as_deref(), true)
}

/// A result with an error that the model reads.
///
/// # Errors
/// Never returns an error: the text can be written in MCP.
pub(super) fn error(text: impl Into<String>) -> Result<CallToolResult, ErrorData> {
    result(&[ContentBlock::text(text)], None, true)
}

fn result(
    content: &[ContentBlock],
    structured: Option<&Value>,
    is_error: bool,
) -> Result<CallToolResult, ErrorData> {
    let content = content.iter().map(block).collect::<Result<_, _>>()?;
    // The protocol library leaves the type of the result out for clients before 2026-07-28.
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = structured.cloned();
    Ok(result)
}

/// A block in the type of the protocol library.
///
/// # Errors
/// Returns an error if it cannot be written in MCP.
pub(super) fn block(content: &ContentBlock) -> Result<rmcp::model::ContentBlock, ErrorData> {
    if let Some(text) = content.as_text() {
        return Ok(rmcp::model::ContentBlock::text(text));
    }
    serde_json::to_value(content).and_then(serde_json::from_value).map_err(|error| {
        tracing::error!("a block of content cannot be written in MCP: {error}");
        ErrorData::internal_error("the content cannot be written in MCP", None)
    })
}

/// The result of a call whose run failed. `correlation_id` finds the run in the log.
///
/// # Errors
/// Returns an error of the protocol for a call that is none: an unknown tool, or a wrong answer.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other errors are of the inside")]
pub(super) fn failed(
    tool: &str,
    failure: &RunError,
    correlation_id: &str,
) -> Result<CallToolResult, ErrorData> {
    match failure {
        RunError::Tool { source, .. } if source.kind() == ErrorKind::UnknownTool => Err(unknown_tool(tool)),
        // The text of a panic is for the author of the tool.
        RunError::Tool { source, .. } if source.kind() != ErrorKind::Panic => tool_error(source),
        RunError::Answer { source, .. } => Err(ErrorData::invalid_params(source.to_string(), None)),
        RunError::Limit { limit, .. } => error(format!("`{tool}` reached its limit of {limit}")),
        RunError::Cancelled { .. } => Err(cancelled(tool)),
        RunError::NoInput { .. } => {
            error(format!("`{tool}` got no input: write what you ask for in `input`"))
        }
        RunError::InputCheck { .. } => error(format!("`{tool}` refused the input")),
        failure => {
            tracing::error!(tool, correlation_id, "a served call failed: {failure}");
            error(format!("`{tool}` failed. The server's log has the reason under `{correlation_id}`."))
        }
    }
}

/// The maximum number of characters of a client's name for something in an error.
pub(super) const MAX_ECHO: usize = 200;

/// The error for a name that no tool has.
pub(super) fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown tool: {}", short(name, MAX_ECHO)), None)
}

/// The error for a call that was cancelled.
pub(super) fn cancelled(tool: &str) -> ErrorData {
    ErrorData::internal_error(format!("the call of `{tool}` was cancelled"), None)
}
