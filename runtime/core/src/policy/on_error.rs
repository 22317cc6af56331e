//! What answers for a tool's errors.

use std::any::Any;
use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::declared::ToolPolicy;
use crate::context::{CallStages, ToolContext};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::onion::{Caught, panic_text};

/// A function that answers for a tool's errors, added at run time.
pub(crate) trait OnError: Send + Sync + 'static {
    fn answer<'a>(&'a self, cx: &'a ToolContext, error: ToolError) -> BoxFuture<'a, ToolResult>;
}

impl<F, Fut> OnError for F
where
    F: Fn(ToolError, ToolContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ToolResult> + Send + 'static,
{
    fn answer<'a>(&'a self, cx: &'a ToolContext, error: ToolError) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { self(error, cx.to_owned_attempt()).await })
    }
}

/// The policy of a tool that was declared with `on_error`: a function that answers for its errors.
#[doc(hidden)]
pub fn recover(policy: ToolPolicy, on_error: fn(&ToolContext, ToolError) -> ToolResult) -> ToolPolicy {
    policy.on_error(Arc::new(move |error, cx: ToolContext| std::future::ready(on_error(&cx, error))))
}

/// Lets a handler answer a tool error. If it fails as well, the error tells both.
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
            // The next call may go well.
            cx.stages(CallStages::keep_nothing);
            answered
        }
    }
}

/// An error that came up while another one was handled. One that holds the first as its source, or ends with its words, is
/// the first one told otherwise, and stays as it is.
fn both(first: ToolError, second: ToolError) -> ToolError {
    let text = first.to_string();
    let mut source: Option<&(dyn Error + 'static)> = Some(&second);
    while let Some(error) = source {
        let told = error.to_string();
        if told == text || told.ends_with(&format!(": {text}")) {
            return second;
        }
        source = error.source();
    }
    let mut told = second;
    told.output_mut().push_text(format!("\nIt came up while this error was handled: {text}"));
    told.with_source(first)
}

#[cold]
fn handler_panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    let text = format!("the `on_error` of `{}` panicked: {}", cx.tool_name(), panic_text(panic));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Panic))
}
