//! Handlers of a tool's errors.

use std::any::Any;
use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::context::{CallStages, ToolContext};
use crate::onion::{Caught, panic_exit};
use onionskin_definitions::error::{Exit, ToolError, ToolResult};

/// A handler of a tool's errors, added at run time.
pub(crate) type OnError = Arc<dyn Fn(ToolError, ToolContext) -> BoxFuture<'static, ToolResult> + Send + Sync>;

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
