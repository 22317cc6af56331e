// Several mistakes: each target is one.
use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Researcher { description: "Looks things up.", instruction: "Look things up." }

    Boss {
        instruction: "Ask.",
        agents: [Researcher],
        runtime: [shell.execute],
        servers: [time],
        tools: { agent: [Researcher], runtime: ["shell.*"] },
        tool_hooks: [audit for [server(agent)], audit except [server(runtime)]],
    }
}

fn main() {}
