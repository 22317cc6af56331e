//! What a hook runs: the rest of a call, or the original tool without the hooks that have not run yet.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;

use super::Call;
use super::latch::latch;
use crate::context::{Depth, ToolContext, at_depth};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

/// The rest of a call: the inner hooks and the tool.
///
/// It can run several times, for example in a retry. Concurrent runs need [`Next::fork`].
/// ```
/// use onionskin::{Args, Next, ToolResult, tool, tool_hook};
///
/// /// Adds the length of the answer.
/// #[tool_hook]
/// async fn measured(args: &mut Args, next: impl Next) -> ToolResult {
///     let mut output = next.run(args).await?;
///     let length = output.to_text().len();
///     output.push_text(format!(" ({length} bytes)"));
///     Ok(output)
/// }
///
/// /// Greets a person.
/// #[tool(hooks = [measured])]
/// fn greet(name: &str) -> String {
///     format!("Hello, {name}.")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let called = greet::spec().exec(r#"{"name": "Ada"}"#).await;
/// assert_eq!(called.output().unwrap().to_text(), "Hello, Ada. (11 bytes)");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the rest of a call",
    label = "write `impl Next` here",
    note = "an around hook takes `next: impl Next` and calls `next.run(args).await`"
)]
pub trait Next: Copy + Send + Sync {
    /// Runs the rest of the call with these arguments. Inner hooks can change them; pass a clone to keep
    /// them.
    ///
    /// Use [`fork`](Next::fork) for concurrent runs: a question of an inner hook shows the current arguments
    /// of the call, and only a fork has its own.
    ///
    /// Cancel safety: dropping the future ends the rest of the call. The tool may have taken effect.
    ///
    /// # Errors
    /// Returns the errors of the inner hooks and the tool.
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send;

    /// As [`Next::run`], boxed and with its own arguments, for concurrent runs. Boxing keeps the futures of
    /// other calls small.
    ///
    /// Cancel safety: as [`Next::run`].
    fn fork<'n>(self, mut args: Args) -> Forked<'n>
    where
        Self: 'n,
    {
        Box::pin(async move { self.run(&mut args).await })
    }
}

/// The future of [`Next::fork`].
pub type Forked<'n> = BoxFuture<'n, ToolResult>;

/// The rest of a call inside a layer.
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

impl<C: Call> Next for InnerNext<'_, C> {
    #[inline]
    fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        if args.is_uncoerced() {
            self.cx.pass(args);
        }
        Latched::new(self.inner.call(self.cx, args), self.cx)
    }

    fn fork<'n>(self, mut args: Args) -> Forked<'n>
    where
        Self: 'n,
    {
        let cx = self.cx;
        Box::pin(cx.apart(async move { self.run(&mut args).await }))
    }
}

pin_project! {
    /// Latches an abort before the outer hook sees the result.
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
        // Read in place: moving the result would cost every layer a copy.
        let poll = this.call.poll(context);
        if let Poll::Ready(Err(exit)) = &poll {
            latch(this.cx, exit);
        }
        poll
    }
}

impl ToolContext {
    /// Calls the tool and skips all hooks that have not run yet: the agent's hooks, typed hooks, and the
    /// tool's own hooks. Approval, cache and guardrails still run.
    ///
    /// Cancel safety: dropping the future cancels the call.
    ///
    /// # Errors
    /// Returns the errors of the tool, or an error if the caller is the tool, a guardrail or an error
    /// handler.
    pub async fn call_original(&self, args: &mut Args) -> ToolResult {
        if self.is_past_hooks() {
            return Err(Exit::Tool(ToolError::new(format!(
                "`call_original` was called by what it runs, so `{}` would never end: call it from a hook only",
                self.tool_name()
            ))));
        }
        match self.run().core() {
            Some(core) => {
                self.note_arguments(args);
                let call = at_depth(self, Depth::Original, core.call_dyn(self, args));
                Latched::new(call, self).await
            }
            None => Err(Exit::Tool(
                ToolError::new("this context belongs to no run, so there is no tool to call")
                    .with_kind(ErrorKind::UnknownTool),
            )),
        }
    }
}
