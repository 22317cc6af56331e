//! What several of the programs declare.

use onionskin::{Args, Hook, Next, ToolResult, tool, tool_hook};

/// Adds one.
#[tool]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
pub async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

pub fn is_hook<H: Hook>() {}

/// Checks that each of these is a hook.
macro_rules! are_hooks {
    ($($hook:path),* $(,)?) => {
        $($crate::parts::is_hook::<$hook>();)*
    };
}

pub(crate) use are_hooks;
