//! The user's own types and functions are called as those of the prelude.
#![allow(dead_code, non_camel_case_types)]
use onionskin::{Args as A, Next as N, ToolContext as C, ToolOutput as O, ToolResult as R, tool_hook};

struct String; struct Result; struct Option; struct Vec; struct Box; struct Some; struct Ok; struct Err; struct None;
struct Clone; struct Send; struct Future; struct Hook; struct Inject; struct Args; struct core; struct std;


#[tool_hook]
async fn around(#[config] times: u8, ctx: &C, args: &mut A, next: impl N) -> R {
    let _ = (times, ctx);
    next.run(args).await
}

#[tool_hook]
fn before(#[config] text: &str, #[config] list: &[u8]) {
    let _ = (text, list);
}

#[tool_hook]
fn after(output: &mut O, run: &::onionskin::RunContext) {
    let _ = run;
    output.push_text("!");
}

pub(crate) fn main() {}
