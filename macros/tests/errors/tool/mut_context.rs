use onionskin::tool;

use onionskin::ToolContext;

/// Counts.
#[tool]
fn count(cx: &mut ToolContext) -> String {
    cx.tool_name().to_owned()
}

fn main() {}
