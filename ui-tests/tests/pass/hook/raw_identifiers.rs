//! Names that are keywords.
use onionskin::{Args, Hook, Next, ToolResult, tool_hook};

#[tool_hook]
async fn r#try(#[config] r#in: u32, args: &mut Args, r#next: impl Next) -> ToolResult {
    let _ = r#in;
    r#next.run(args).await
}

#[tool_hook]
fn r#match(r#args: &mut Args) {
    let _ = r#args;
}

fn is_hook<H: Hook>() {}

pub(crate) fn main() {
    is_hook::<r#try>();
    is_hook::<r#match>();
}
