//! The hook [`log`](fn@log): writes the outcome of a call to `tracing`.

use crate::{ToolContext, ToolResult, tool_hook};

/// Writes the outcome of each call to `tracing`, at level debug, or at level warn for failures. It writes names and
/// outcomes only, because arguments and results may be confidential.
///
/// ```
/// use onionskin::agent;
/// use onionskin::hooks::log;
///
/// agent! { Clerk { instruction: "Take notes.", tool_hooks: [log] } }
/// ```
#[tool_hook]
pub fn log(ctx: &ToolContext, result: &ToolResult) {
    let (agent, tool, id) = (ctx.agent_name(), ctx.tool_name(), ctx.call_id());
    let attempts = ctx.attempt();
    match result {
        Ok(_) => tracing::debug!(agent, tool, id, attempts, "tool call succeeded"),
        Err(crate::Exit::Tool(error)) => {
            tracing::warn!(agent, tool, id, attempts, kind = ?error.kind(), "tool call failed");
        }
        Err(crate::Exit::Stop(_)) => tracing::debug!(agent, tool, id, attempts, "tool call stopped the run"),
        Err(_) => tracing::warn!(agent, tool, id, attempts, "tool call aborted the run"),
    }
}
