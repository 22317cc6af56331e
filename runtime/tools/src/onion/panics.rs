//! Converts panics of tools, hooks and other user code to errors.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::caught::{discard, panic_text};
use crate::context::ToolContext;
use onionskin_definitions::error::{Abort, ErrorKind, Exit, ToolError, ToolResult};

pin_project! {
    /// Converts a panic of a call to an exit.
    pub(crate) struct Caught<'a, F, E> {
        #[pin]
        call: F,
        cx: &'a ToolContext,
        exit: E,
    }
}

impl<'a, F, E: Fn(&ToolContext, &(dyn Any + Send)) -> Exit> Caught<'a, F, E> {
    pub(crate) fn new(call: F, cx: &'a ToolContext, exit: E) -> Self {
        Self { call, cx, exit }
    }
}

impl<T, F, E> Future for Caught<'_, F, E>
where
    F: Future<Output = ToolResult<T>>,
    E: Fn(&ToolContext, &(dyn Any + Send)) -> Exit,
{
    type Output = ToolResult<T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult<T>> {
        let this = self.project();
        // A future that panicked is not polled again, so its state after the panic is never observed.
        match catch_unwind(AssertUnwindSafe(|| this.call.poll(context))) {
            Ok(poll) => poll,
            Err(panic) => {
                let exit = (this.exit)(this.cx, &*panic);
                discard(panic);
                Poll::Ready(Err(exit))
            }
        }
    }
}

/// The error for a panic of a tool.
#[cold]
pub(crate) fn tool_panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    let mut exit = panic_exit(cx, format_args!("`{}`", cx.tool_name()), panic);
    if let Exit::Tool(error) = &mut exit {
        error.put_around("", cx.unknown_effect());
    }
    exit
}

/// The error for a panic of `what`, with the session's secrets redacted.
pub(crate) fn panic_exit(cx: &ToolContext, what: fmt::Arguments<'_>, panic: &(dyn Any + Send)) -> Exit {
    let text = format!("{what} panicked: {}", cx.run().hide_text(panic_text(panic)));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Panic))
}

/// The abort for a panic of a hook.
#[cold]
pub(crate) fn hook_panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    let text = cx.run().hide_text(panic_text(panic));
    Exit::Abort(Abort::new(format!("a hook around `{}` panicked: {text}", cx.tool_name())))
}
