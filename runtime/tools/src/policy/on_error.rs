//! Handlers of a tool's errors.

use std::any::Any;
use std::error::Error;
use std::future::{Future, ready};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::context::{CallStages, ToolContext};
use crate::onion::{Caught, panic_exit};
use onionskin_definitions::error::{Exit, ToolError, ToolResult};

/// A handler of a tool's errors, added at run time.
pub(crate) type OnError = Arc<dyn Fn(ToolError, ToolContext) -> BoxFuture<'static, ToolResult> + Send + Sync>;

/// A function of `on_error = path`: `fn(&ToolContext, ToolError) -> ToolResult`, or an `async fn` of these. `M` tells them apart.
/// Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot handle the errors of a tool",
    label = "not a handler of errors",
    note = "write `fn explain(cx: &ToolContext, error: ToolError) -> ToolResult`, or an `async fn` with the same parameters whose future is `Send`"
)]
pub trait ErrorHandler<M>: Copy + Send + Sync + 'static {
    /// Handles an error.
    ///
    /// Cancel safety: a dropped future ends the function.
    fn handle(self, error: ToolError, cx: ToolContext) -> BoxFuture<'static, ToolResult>;
}

/// The function returns the result.
#[derive(Debug)]
pub struct Returned(());

/// The function is async.
#[derive(Debug)]
pub struct Awaited(());

#[diagnostic::do_not_recommend]
impl<F: Fn(&ToolContext, ToolError) -> ToolResult + Copy + Send + Sync + 'static> ErrorHandler<Returned>
    for F
{
    fn handle(self, error: ToolError, cx: ToolContext) -> BoxFuture<'static, ToolResult> {
        Box::pin(ready(self(&cx, error)))
    }
}

#[diagnostic::do_not_recommend]
impl<F: for<'c> AsyncHandler<'c> + Copy + Send + Sync + 'static> ErrorHandler<Awaited> for F {
    fn handle(self, error: ToolError, cx: ToolContext) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.call(&cx, error).await })
    }
}

/// An async function that borrows the context. `AsyncFn` could not say that its future is `Send`.
pub trait AsyncHandler<'c> {
    /// The future of a call.
    type Call: Future<Output = ToolResult> + Send + 'c;

    /// Calls it.
    fn call(&self, cx: &'c ToolContext, error: ToolError) -> Self::Call;
}

#[diagnostic::do_not_recommend]
impl<'c, F, Fut> AsyncHandler<'c> for F
where
    F: Fn(&'c ToolContext, ToolError) -> Fut,
    Fut: Future<Output = ToolResult> + Send + 'c,
{
    type Call = Fut;

    fn call(&self, cx: &'c ToolContext, error: ToolError) -> Fut {
        self(cx, error)
    }
}

/// Passes a tool error to a handler. If the handler fails too, the error contains both.
pub(crate) async fn answer<F, Fut>(cx: &ToolContext, result: ToolResult, handler: F) -> ToolResult
where
    F: FnOnce(ToolError) -> Fut,
    Fut: Future<Output = ToolResult>,
{
    let error = match result {
        Err(Exit::Tool(error)) => error,
        other => return other,
    };
    let call = async { handler(error.clone()).await };
    match Caught::new(call, cx, handler_panicked).await {
        Err(Exit::Tool(second)) => Err(Exit::Tool(both(error, second))),
        answered => {
            // The next call may succeed.
            cx.stages(CallStages::exclude_from_caches);
            answered
        }
    }
}

/// Combines an error with the error that occurred while handling it. If the second one has the first as its
/// source, or ends with its text, it replaces the first one unchanged.
fn both(first: ToolError, second: ToolError) -> ToolError {
    let text = first.to_string();
    let mut source: Option<&(dyn Error + 'static)> = Some(&second);
    while let Some(error) = source {
        let reported = error.to_string();
        if reported == text || reported.ends_with(&format!(": {text}")) {
            return second;
        }
        source = error.source();
    }
    let mut reported = second;
    reported.output_mut().push_text(format!("\nIt occurred while another error was handled: {text}"));
    reported.with_source(first)
}

#[cold]
fn handler_panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    panic_exit(cx, format_args!("the `on_error` of `{}`", cx.tool_name()), panic)
}
