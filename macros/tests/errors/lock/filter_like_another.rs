use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Clock {
        instruction: "Tell the time.",
        servers: [time],
        tool_hooks: [audit for [time__get_time, time__get_tme]],
    }
}

fn main() {}
