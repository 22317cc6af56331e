use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args)?;
    output.push_text("[audit]");
    Ok(output)
}

fn main() {}
