//! Hooks and parameters that are configured away, and ones that are not.
use crate::parts::are_hooks;
use onionskin::{Args, Next, ToolResult, tool_hook};
use onionskin::run::Team;

#[cfg(any())]
#[tool_hook]
async fn off(missing: Missing, next: impl Nothing) -> Missing {}

#[tool_hook]
#[cfg(any())]
async fn off_below(missing: Missing, next: impl Next) -> Missing {}

#[tool_hook]
#[cfg(any(unix, not(unix)))]
async fn on(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[cfg(any())]
#[tool_hook]
fn either(_missing: Missing) {}

#[cfg(not(any()))]
#[tool_hook]
fn either() {}

#[tool_hook]
async fn parameters(
    #[cfg(any())] missing: Missing,
    #[cfg(any(unix, not(unix)))] team: Team,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    let _ = team;
    next.run(args).await
}

pub(crate) fn main() {
    are_hooks!(on, either, parameters);
}
