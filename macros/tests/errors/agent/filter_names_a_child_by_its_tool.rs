// Several mistakes: each target is one.
use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Researcher { description: "Looks things up.", instruction: "Look things up." }

    NewYork { name: "ny", description: "Knows New York.", instruction: "Tell of New York." }

    Alone {
        instruction: "Help.",
        tool_hooks: [audit for [agent__Researcher]],
    }

    Boss {
        instruction: "Ask.",
        agents: [Researcher, NewYork],
        tool_hooks: [
            audit for [agent__Researcher],
            audit except [agent__NewYork],
            audit for [agent__researcher],
            audit except [agent__ny],
        ],
    }
}

fn main() {}
