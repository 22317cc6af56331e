// Three traits are missing for one reason, and the compiler has no way to report them as one.
use std::rc::Rc;

use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn cap(#[config] limit: Rc<u32>, args: &mut Args, next: impl Next) -> ToolResult {
    drop(limit);
    next.run(args).await
}

fn main() {}
