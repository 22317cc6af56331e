//! What is inside of a hook under test.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::{Args, ErrorKind, Exit, Hook, Next, ToolContext, ToolError, ToolResult};

/// A tool that takes a time, counts how often it began and how often it ended, and answers.
pub(crate) struct Tool {
    pub(crate) takes: Duration,
    pub(crate) begun: AtomicU32,
    pub(crate) ended: AtomicU32,
    answer: fn() -> ToolResult,
}

impl Tool {
    pub(crate) const fn new(takes: Duration, answer: fn() -> ToolResult) -> Self {
        Self { takes, begun: AtomicU32::new(0), ended: AtomicU32::new(0), answer }
    }

    /// How often it began and ended.
    pub(crate) fn counts(&self) -> (u32, u32) {
        (self.begun.load(Ordering::Relaxed), self.ended.load(Ordering::Relaxed))
    }

    /// Calls it through a hook.
    pub(crate) async fn call(&self, hook: &impl Hook, cx: &ToolContext) -> ToolResult {
        hook.call(cx, &mut Args::default(), self).await
    }
}

impl Next for &Tool {
    async fn run(self, _: &mut Args) -> ToolResult {
        self.begun.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(self.takes).await;
        self.ended.fetch_add(1, Ordering::Relaxed);
        (self.answer)()
    }
}

pub(crate) fn done() -> ToolResult {
    Ok("done".into())
}

pub(crate) fn failed() -> ToolResult {
    Err("broken".into())
}

/// The error of a tool.
pub(crate) fn tool_error(result: ToolResult) -> ToolError {
    match result {
        Err(Exit::Tool(error)) => error,
        other => panic!("no error of a tool: {other:?}"),
    }
}

/// The kind and the text of the error of a tool.
pub(crate) fn error_of(result: ToolResult) -> (ErrorKind, String) {
    let error = tool_error(result);
    (error.kind(), error.to_string())
}
