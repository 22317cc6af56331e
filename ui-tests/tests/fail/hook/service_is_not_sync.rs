use std::cell::Cell;

use onionskin::{Args, Next, Provided, ToolResult, tool_hook};

struct Counter(Cell<u32>);

#[tool_hook]
async fn count(counter: Provided<Counter>, args: &mut Args, next: impl Next) -> ToolResult {
    counter.0.set(counter.0.get() + 1);
    next.run(args).await
}

fn main() {}
