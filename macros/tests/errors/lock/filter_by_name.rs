use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [files],
        tool_hooks: [audit except [tool("files__read-file"), tool("files__read-fiel")]],
    }
}

fn main() {}
