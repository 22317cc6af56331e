use onionskin::{Args, Next, ToolResult, agent, tool_hook, toolbox};

struct Stock;

#[toolbox]
impl Stock {
    /// Puts something in.
    #[tool]
    fn put(&self) -> bool {
        true
    }
}

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        toolboxes: [Stock],
        tool_hooks: [audit for [Stock::putt]],
    }
}

fn main() {}
