use onionskin::{ToolContext, tool};

/// Says its name.
#[tool]
fn name(cx: ToolContext) -> String {
    cx.tool_name().to_owned()
}

fn main() {}
