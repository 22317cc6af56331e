use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [audit],
    }
}

fn main() {}
