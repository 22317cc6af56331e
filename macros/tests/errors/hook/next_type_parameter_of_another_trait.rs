use onionskin::{Args, ToolResult, tool_hook};

#[tool_hook]
async fn audit<N: std::fmt::Display>(args: &mut Args, next: N) -> ToolResult {
    let _ = args;
    Err(next.to_string().into())
}

fn main() {}
