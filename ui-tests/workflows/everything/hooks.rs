//! A hook around tool calls.

use onionskin::{Args, Next, ToolContext, ToolResult, tool_hook};

/// Marks results.
///
/// # Errors
/// Those of the tool.
#[tool_hook]
pub async fn mark(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(format!(" [{}]", ctx.tool_name()));
    Ok(output)
}
