//! Names that are keywords.
use crate::parts::are_hooks;
use onionskin::{Args, Next, ToolResult, tool_hook};

#[tool_hook]
async fn r#try(#[config] r#in: u32, args: &mut Args, r#next: impl Next) -> ToolResult {
    let _ = r#in;
    r#next.run(args).await
}

#[tool_hook]
fn r#match(r#args: &mut Args) {
    let _ = r#args;
}

pub(crate) fn main() {
    are_hooks!(r#try, r#match);
}
