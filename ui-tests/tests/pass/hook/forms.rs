//! Each form with everything that it can take and return.
use crate::parts::are_hooks;
use onionskin::{Args, Next, ToolContext, ToolOutput, ToolResult, tool_hook};

#[tool_hook]
async fn around(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ctx.tool_name();
    let mut output = next.run(args).await?;
    output.push_text("[around]");
    Ok(output)
}

#[tool_hook(around)]
async fn around_twice(func: impl Next, arguments: &mut Args, function_name: &str) -> ToolResult {
    let _ = function_name;
    let _ = func.run(arguments).await;
    func.run(arguments).await
}

#[tool_hook]
async fn around_with_a_type_parameter<N: Next>(args: &mut Args, call_next: N) -> ToolResult {
    call_next.run(args).await
}

#[tool_hook]
async fn around_in_any_order(inner: impl Next, _ctx: &ToolContext, values: &mut Args) -> ToolResult {
    inner.run(values).await
}

#[tool_hook]
async fn around_without_the_tool(_args: &mut Args, _next: impl Next) -> ToolResult {
    Ok(ToolOutput::text("no call"))
}

#[tool_hook]
async fn around_forked(args: &mut Args, next: impl Next) -> ToolResult {
    let first = next.fork(args.clone());
    let second = next.fork(args.clone());
    first.await?;
    second.await
}

#[tool_hook]
fn before() {}

#[tool_hook(before)]
async fn before_async(args: &Args) {
    let _ = args.get("x").is_none();
}

#[tool_hook]
fn before_may_fail(args: &mut Args, name: String) -> ToolResult<()> {
    if name.is_empty() || args.get("x").is_none() { Err("no".into()) } else { Ok(()) }
}

#[tool_hook]
async fn before_may_answer(args: Args) -> ToolResult<Option<ToolOutput>> {
    Ok(args.get("x").is_none().then(|| ToolOutput::text("nothing to do")))
}

#[tool_hook]
fn before_answers_or_not() -> Option<ToolOutput> {
    None
}

#[tool_hook]
async fn after(output: &mut ToolOutput) {
    output.push_text("[after]");
}

#[tool_hook(after)]
fn after_looks(result: &ToolResult) {
    let _ = result.is_ok();
}

#[tool_hook]
fn after_sees_errors(result: &mut ToolResult) {
    if result.is_err() {
        *result = Ok(ToolOutput::text("sorry"));
    }
}

#[tool_hook]
async fn after_gives_another(result: ToolResult) -> ToolResult {
    result
}

#[tool_hook]
async fn after_gives_output(output: ToolOutput) -> ToolOutput {
    output
}

#[tool_hook]
async fn after_may_fail(output: &ToolOutput) -> ToolResult<()> {
    if output.to_text().is_empty() { Err("no text".into()) } else { Ok(()) }
}

pub(crate) fn main() {
    are_hooks!(around, around_twice, around_with_a_type_parameter, around_in_any_order, around_without_the_tool, around_forked, before, before_async);
    are_hooks!(before_may_fail, before_may_answer, before_answers_or_not, after, after_looks, after_sees_errors, after_gives_another, after_gives_output, after_may_fail);
    // The functions are still functions.
    before();
    assert!(before_answers_or_not().is_none());
}
