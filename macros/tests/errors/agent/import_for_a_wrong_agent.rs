#![deny(unused_imports)]

use onionskin::agent;

mod shop {
    use onionskin::{Args, Next, ToolResult, tool, tool_hook};

    /// Adds one.
    #[tool]
    pub fn add_one(x: i64) -> i64 {
        x + 1
    }

    #[tool_hook]
    pub async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
        next.run(args).await
    }
}

use shop::{add_one, audit};

agent! {
    Helper {
        instruction: "Help.",
        function_tools: [add_one],
        tool_hooks: [audit],
        modle: "gpt-4o-mini",
    }
}

fn main() {}
