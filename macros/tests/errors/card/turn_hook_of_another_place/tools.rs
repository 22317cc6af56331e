use onionskin::{Args, Next, ToolResult, tool, tool_hook, turn_hook};

/// Adds.
#[tool]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

pub fn plain() {}

/// Hides.
#[tool]
fn hidden() {}

#[tool_hook]
pub async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[turn_hook(after_llm_call)]
pub fn watch() {}

pub struct Ledger;
