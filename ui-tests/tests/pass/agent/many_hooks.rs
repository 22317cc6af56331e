//! More hooks than the compiler's recursion limit holds without boxes between.
use onionskin::{Args, Next, ToolResult, agent, tool, tool_hook};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Boss {
        instruction: "Lead.",
        function_tools: [add_one],
        tool_hooks: [
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass,
        ],
    }
}

pub(crate) fn main() {
    let _ = Boss::builder();
}
