use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook(around = true)]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook(tool = "add_one")]
async fn clamp(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook(type_name = my::Log)]
async fn log(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn main() {}
