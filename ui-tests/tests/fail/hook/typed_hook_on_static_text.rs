use onionskin::{ToolResult, typed::{ArgsOf, TypedNext}, tool, tool_hook};

/// Greets.
#[tool(cache)]
fn greet(name: String) -> Result<&'static str, String> {
    if name.is_empty() { Err("no name".into()) } else { Ok("hello") }
}

#[tool_hook(tool = greet)]
async fn short(args: ArgsOf<greet>, next: impl TypedNext<greet>) -> ToolResult<Result<&'static str, String>> {
    next.run(args).await
}

fn main() {}
