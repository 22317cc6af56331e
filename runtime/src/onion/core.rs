//! The core of an onion: where a tool is started, watched and, if it panics, caught.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::journal::StepKind;
use crate::record::CallRecord;

/// Starts a tool: counts the attempt, holds it to its limits, catches its panic.
pub async fn call_tool<F>(cx: &ToolContext, start: impl FnOnce() -> F + Send) -> ToolResult
where
    F: Future<Output = ToolResult> + Send,
{
    let definition = &cx.entry().definition;
    let result =
        if definition.timeout.is_none() && definition.max_calls.is_none() && cx.run().journal().is_none() {
            cx.start_attempt();
            caught(start).await
        } else {
            cx.admit()?;
            cx.start_attempt();
            watched(cx, definition.timeout, Box::pin(caught(start))).await
        };
    match result {
        Ok(result) => result,
        Err(panic) => Err(panicked(cx.tool_name(), &*panic)),
    }
}

/// Starts a tool that is known at run time only.
pub async fn call_dynamic(cx: &ToolContext, args: &mut Args) -> ToolResult {
    match cx.dynamic() {
        Some(tool) => call_tool(cx, || tool.run_dyn(cx, args)).await,
        None => Err(Exit::Tool(
            ToolError::new(format!("the tool `{}` is not part of this agent", cx.tool_name()))
                .with_kind(ErrorKind::UnknownTool),
        )),
    }
}

type Caught = Result<ToolResult, Box<dyn Any + Send>>;

/// A sync tool's panic comes while its future is polled, like an async one's.
async fn caught<F: Future<Output = ToolResult> + Send>(start: impl FnOnce() -> F + Send) -> Caught {
    AssertUnwindSafe(async { start().await }).catch_unwind().await
}

async fn watched(cx: &ToolContext, timeout: Option<Duration>, call: BoxFuture<'_, Caught>) -> Caught {
    let timed = async {
        let Some(timeout) = timeout else { return call.await };
        match tokio::time::timeout(timeout, call).await {
            Ok(result) => result,
            Err(_) => Ok(Err(Exit::Tool(
                ToolError::new(format!(
                    "`{}` took longer than {timeout:?}; it was cancelled",
                    cx.tool_name()
                ))
                .with_kind(ErrorKind::Timeout),
            ))),
        }
    };
    if cx.run().journal().is_none() {
        return timed.await;
    }
    let record = cx
        .run()
        .step(cx.step_id(StepKind::Tool), async || {
            let result = timed.await;
            CallRecord::new(result.unwrap_or_else(|panic| Err(panicked(cx.tool_name(), &*panic))))
        })
        .await;
    Ok(record.into_result())
}

#[cold]
fn panicked(tool: &str, panic: &(dyn Any + Send)) -> Exit {
    let text = format!("`{tool}` panicked: {}", panic_text(panic));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Panic))
}

/// The words of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
