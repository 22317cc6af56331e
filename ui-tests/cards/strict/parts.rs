//! The parts of the agents.

use onionskin::{Args, Next, ToolResult, tool, tool_hook};

/// Adds one.
#[tool]
#[must_use]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

/// Goes on.
///
/// # Errors
/// As the call inside.
#[tool_hook]
pub async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}
