//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::{Args, Next, ToolOutput, ToolResult, agent, tool, tool_hook};

#[tool_hook]
async fn listed(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
fn listed_by_a_tool(args: &mut Args) {
    args.remove("x");
}

#[tool_hook]
fn added(#[config] mark: &str, output: &mut ToolOutput) {
    output.push_text(mark);
}

/// Adds one.
#[tool(hooks = [listed_by_a_tool])]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
async fn forgotten(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
fn forgotten_with_a_value(#[config] mark: String, output: &mut ToolOutput) {
    output.push_text(mark);
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", function_tools: [add_one], tool_hooks: [listed] }
}

fn main() {
    let _ = Helper::builder().hook(added::new("!"));
}
