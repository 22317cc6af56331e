//! An around hook.

use std::time::Duration;

use tokio::time::Instant;

use crate::{Args, Next, ToolContext, ToolResult, tool_hook};

/// How long a call took, hooks inside [`timing`](fn@timing) included. The model does not see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed(pub Duration);

/// Measures each call: keeps the time with the result, as [`Elapsed`] in its
/// [`meta`](crate::ToolOutput::meta), and writes it to `tracing` at level debug.
///
/// # Errors
/// Those of the call.
#[tool_hook]
pub async fn timing(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    // Only measured, never decided upon: a replayed run may measure another time.
    let started = Instant::now();
    let mut result = next.run(args).await;
    let elapsed = started.elapsed();
    tracing::debug!(agent = ctx.agent_name(), tool = ctx.tool_name(), ?elapsed, "tool call timed");
    if let Ok(output) = &mut result {
        output.insert_meta(Elapsed(elapsed));
    }
    result
}
