//! An after hook that only looks.

use crate::{ToolContext, ToolResult, tool_hook};

/// Writes how each call ended to `tracing`, at level debug, or warn where it failed. Names and outcomes
/// only: arguments and results may hold what no log should.
#[tool_hook]
pub fn log(ctx: &ToolContext, result: &ToolResult) {
    let (agent, tool, id) = (ctx.agent_name(), ctx.tool_name(), ctx.tool_use_id());
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
