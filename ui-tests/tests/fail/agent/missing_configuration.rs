use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn retry(#[config] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = times;
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [retry],
    }
}

fn main() {}
