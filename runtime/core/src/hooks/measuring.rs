//! The hook [`timing`](fn@timing): measures a call.

use std::time::Duration;

use tokio::time::Instant;

use crate::{Args, Next, ToolContext, ToolResult, tool_hook};

/// The duration of a call, including the hooks inside [`timing`](fn@timing). The model does not see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed(pub Duration);

/// Measures each call. It stores the duration in the result's [`meta`](crate::ToolOutput::meta) as [`Elapsed`], and
/// writes it to `tracing` at level debug.
///
/// ```
/// use onionskin::hooks::{Elapsed, timing};
/// use onionskin::{ToolContext, ToolResult, agent, tool_hook};
///
/// #[tool_hook(after)]
/// fn slow(ctx: &ToolContext, result: &ToolResult) {
///     if let Ok(output) = result
///         && let Some(Elapsed(time)) = output.meta::<Elapsed>()
///         && time.as_secs() > 5
///     {
///         println!("{} took {time:?}", ctx.tool_name());
///     }
/// }
///
/// // The outer hook sees what the inner one measured.
/// agent! { Clerk { instruction: "Take notes.", tool_hooks: [slow, timing] } }
/// ```
///
/// Cancel safety: a dropped call is not measured.
///
/// # Errors
/// Returns the errors of the call.
#[tool_hook]
pub async fn timing(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    // The time has no influence on the run, so a replay may measure another one.
    let started = Instant::now();
    let mut result = next.run(args).await;
    let elapsed = started.elapsed();
    tracing::debug!(agent = ctx.agent_name(), tool = ctx.tool_name(), ?elapsed, "tool call timed");
    if let Ok(output) = &mut result {
        output.insert_meta(Elapsed(elapsed));
    }
    result
}
