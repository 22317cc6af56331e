use onionskin::{Args, Next, ToolResult, agent, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [add_one],
        tool_hooks: [audit for [everwhere]],
    }
}

fn main() {}
