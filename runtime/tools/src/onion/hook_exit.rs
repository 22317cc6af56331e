//! How a tool's own hooks leave a call.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::context::ToolContext;
use crate::event::{HookEnd, HookExit};
use onionskin_definitions::error::{Exit, ToolResult};

/// The kind of the last result that a hook got from inside.
#[derive(Default)]
pub(crate) struct LastInner(AtomicU8);

const NOTHING: u8 = 0;
const OUTPUT: u8 = 1;
const ERROR: u8 = 2;
const STOP: u8 = 3;
const ABORT: u8 = 4;

fn kind(result: &ToolResult) -> u8 {
    match result {
        Ok(_) => OUTPUT,
        Err(Exit::Tool(_)) => ERROR,
        Err(Exit::Stop(_)) => STOP,
        Err(Exit::Abort(_)) => ABORT,
    }
}

impl LastInner {
    /// Records a result from inside.
    pub(crate) fn note(&self, result: &ToolResult) {
        self.0.store(kind(result), Ordering::Relaxed);
    }

    /// Records how the hook left the call, if the call collects this.
    pub(crate) fn leave(&self, cx: &ToolContext, hook: &'static str, result: &ToolResult) {
        cx.log_hook(|| HookExit { hook: hook.into(), end: end(self.0.load(Ordering::Relaxed), result) });
    }
}

/// How a hook left the call, given the last result from inside.
fn end(inner: u8, result: &ToolResult) -> HookEnd {
    match (inner, result) {
        (NOTHING, Ok(_)) => HookEnd::Answered,
        (ERROR, Ok(_)) => HookEnd::Recovered,
        (inner, result) if inner == kind(result) => HookEnd::Passed,
        (_, Ok(_)) => HookEnd::Answered,
        (_, Err(Exit::Tool(error))) => HookEnd::Error(error.kind()),
        (_, Err(Exit::Stop(_))) => HookEnd::Stop,
        (_, Err(Exit::Abort(_))) => HookEnd::Abort,
    }
}
