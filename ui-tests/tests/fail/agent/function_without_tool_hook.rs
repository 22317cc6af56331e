// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
use onionskin::{Args, Next, ToolResult, agent};

async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [audit],
    }
}

fn main() {}
