//! What an around hook calls to go on inwards.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;

use super::Call;
use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{Exit, ToolResult};

/// The rest of the call: the hooks further inside, and the tool.
///
/// It can be run again, for a retry. Two runs alive at once need [`Next::fork`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the rest of a call",
    label = "write `impl Next` here",
    note = "an around hook takes `next: impl Next` and calls `next.run(args).await`"
)]
pub trait Next: Copy + Send + Sync {
    /// Runs the rest of the call with these arguments.
    ///
    /// # Errors
    /// As the hooks inside and the tool.
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send;

    /// As [`Next::run`], in a box and with arguments of its own, so that several can be alive at once
    /// without making every call's future larger.
    fn fork<'n>(self, mut args: Args) -> Forked<'n>
    where
        Self: 'n,
    {
        Box::pin(async move { self.run(&mut args).await })
    }
}

/// A run of [`Next::fork`].
pub type Forked<'n> = BoxFuture<'n, ToolResult>;

/// The rest of a call inside one layer.
#[doc(hidden)]
pub struct InnerNext<'a, C> {
    inner: &'a C,
    cx: &'a ToolContext,
}

impl<'a, C: Call> InnerNext<'a, C> {
    #[inline]
    pub fn new(inner: &'a C, cx: &'a ToolContext) -> Self {
        Self { inner, cx }
    }
}

impl<C> Clone for InnerNext<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for InnerNext<'_, C> {}

impl<'a, C: Call> InnerNext<'a, C> {
    /// The rest of the call with the arguments as they are.
    #[inline]
    pub(crate) fn inwards<'b>(
        self,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send + use<'a, 'b, C> {
        Latched { call: self.inner.call(self.cx, args), cx: self.cx }
    }
}

impl<C: Call> Next for InnerNext<'_, C> {
    #[inline]
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        // The hooks inside see what the tool gets, also of what this one wrote.
        args.bind_if_loose(|| &self.cx.definition().input_schema);
        self.inwards(args)
    }
}

pin_project! {
    /// Sees every result before the hook outside does, and latches an abort.
    pub(crate) struct Latched<'a, F> {
        #[pin]
        call: F,
        cx: &'a ToolContext,
    }
}

impl<'a, F> Latched<'a, F> {
    pub(crate) fn new(call: F, cx: &'a ToolContext) -> Self {
        Self { call, cx }
    }
}

impl<T, F: Future<Output = ToolResult<T>>> Future for Latched<'_, F> {
    type Output = ToolResult<T>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult<T>> {
        let this = self.project();
        // Looked at where it lies: moving the result out and in again would cost every layer a copy.
        let poll = this.call.poll(context);
        if let Poll::Ready(Err(exit)) = &poll {
            latch(this.cx, exit);
        }
        poll
    }
}

/// Out of line, so that a call that succeeds pays one comparison a layer.
#[cold]
#[inline(never)]
fn latch(cx: &ToolContext, exit: &Exit) {
    if let Exit::Abort(abort) = exit {
        cx.abort(abort);
    }
}
