use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [audit(3)],
    }
}

fn main() {}
