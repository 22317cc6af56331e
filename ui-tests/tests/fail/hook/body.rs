//! Mistakes in the body of a hook.
use onionskin::{Args, Next, ToolResult, tool_hook};

//~ no `.await`
#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args) }

//~ no `.await` before `?`
#[tool_hook]
async fn missing_await_before_question_mark(args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args)?;
    output.push_text("[audit]");
    Ok(output)
}

//~ `next` without the arguments
#[tool_hook]
async fn next_without_args(next: impl Next) -> ToolResult { next.run().await }

//~ `?` on what is no `Error`
struct Trouble;

fn check(_: &Args) -> Result<(), Trouble> { Err(Trouble) }

#[tool_hook]
async fn question_mark_on_no_error(args: &mut Args, next: impl Next) -> ToolResult {
    check(args)?;
    next.run(args).await
}

//~ shared arguments for `next`
#[tool_hook]
async fn shared_args_for_next(args: &Args, next: impl Next) -> ToolResult { next.run(args).await }

fn main() {}
