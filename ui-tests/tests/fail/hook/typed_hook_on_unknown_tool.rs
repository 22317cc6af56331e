use onionskin::{ToolResult, typed::{ArgsOf, OutputOf, TypedNext}, tool_hook};

#[tool_hook(tool = ad_one)]
async fn clamp(args: ArgsOf<ad_one>, next: impl TypedNext<ad_one>) -> ToolResult<OutputOf<ad_one>> {
    next.run(args).await
}

fn main() {}
