//! The hooks of the cards in this folder.

use onionskin::definition::ToolSource;
use onionskin::{Args, ErrorKind, Exit, Next, ToolContext, ToolError, ToolResult, tool_hook};

/// Holds `add_one` to small numbers, blocks the shell, and marks every result.
#[tool_hook]
pub async fn audit(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    // before: enforce limits
    if ctx.tool_name().ends_with("add_one") {
        let x = args["x"].as_i64().unwrap_or(0);
        args["x"] = x.min(10).into();
    }

    // instead: block unsafe tools
    let result = if ctx.source() == ToolSource::Runtime && ctx.tool_name() == "shell.execute" {
        Err(Exit::Tool(ToolError::new("blocked").with_kind(ErrorKind::Denied)))
    } else {
        // call original tool
        next.run(args).await
    };

    // after: log or modify result, an error's too
    match result {
        Ok(mut output) => {
            output.push_text("[audit]");
            Ok(output)
        }
        Err(Exit::Tool(mut error)) => {
            error.output_mut().push_text("[audit]");
            Err(Exit::Tool(error))
        }
        other => other,
    }
}
