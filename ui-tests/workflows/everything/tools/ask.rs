//! A UI tool without a component of its own.

use onionskin::ToolContext;
use onionskin::question::AskError;

/// Asks.
///
/// # Errors
/// If there is no answer.
#[onionskin::tool(asks)]
pub async fn ask(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().use_ui_tool("ask", super::Everything::NAME, ()).await
}
