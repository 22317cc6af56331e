use std::rc::Rc;

use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    let seen = Rc::new(1);
    let output = next.run(args).await;
    drop(seen);
    output
}

fn main() {}
