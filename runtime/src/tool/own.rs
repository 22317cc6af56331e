//! What a tool's own options put around its function: hooks, a handler for its errors, a thread.

use std::future::Future;
use std::marker::PhantomData;
use std::panic::resume_unwind;

use super::{FitsState, Make};
use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::onion::{Call, Hook, InnerNext, Values};

/// A tool with hooks of its own, as it is inside of them.
pub trait Body: 'static {
    /// Runs the tool.
    fn body(cx: &ToolContext, args: &mut Args) -> impl Future<Output = ToolResult> + Send;
}

/// The inside of a tool's own hooks: the tool.
pub struct Within<T>(PhantomData<fn() -> T>);

impl<T> Within<T> {
    /// The inside.
    #[expect(clippy::new_without_default, reason = "generated code is the only caller")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Body> Call for Within<T> {
    fn call<'a>(&'a self, cx: &'a ToolContext, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        T::body(cx, args)
    }
}

/// One of a tool's own hooks around what is inside of it.
pub struct Layer<H, C> {
    hook: H,
    inner: C,
}

impl<H: Hook, C: Call> Layer<H, C> {
    /// A hook around `inner`, configured.
    pub fn new(with: Values<H>, inner: C) -> Self {
        Self { hook: H::configure(with), inner }
    }
}

impl<H: Hook, C: Call> Call for Layer<H, C> {
    fn call<'a>(&'a self, cx: &'a ToolContext, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
        self.hook.call(cx, args, InnerNext::new(&self.inner, cx))
    }
}

/// The states of a tool and of its own hooks: an agent's state fits if it fits both.
pub struct BothStates<A, B>(PhantomData<fn() -> (A, B)>);

impl<S, A: FitsState<S>, B: FitsState<S>> FitsState<S> for BothStates<A, B> {}

#[diagnostic::do_not_recommend]
impl<T: Default, A, B> Make<T> for BothStates<A, B> {
    fn make() -> T {
        T::default()
    }
}

/// Lets `on_error` answer a tool error; a stop and an abort pass it by.
///
/// # Errors
/// As `on_error`, or the exit that passes it by.
pub fn recover(
    cx: &ToolContext,
    result: ToolResult,
    on_error: fn(&ToolContext, ToolError) -> ToolResult,
) -> ToolResult {
    match result {
        Err(Exit::Tool(error)) => on_error(cx, error),
        other => other,
    }
}

/// Runs a blocking tool on a thread of its own, off the async threads. Its panic goes on in the caller, where
/// it becomes a tool error as any other. Dropping the future does not stop the thread: the work can ask the
/// context's cancellation token.
///
/// # Errors
/// As the work; and if the tokio runtime is shutting down before the work began.
pub async fn offload<R: Send + 'static>(
    cx: &ToolContext,
    work: impl FnOnce() -> ToolResult<R> + Send + 'static,
) -> ToolResult<R> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(Exit::Tool(
                ToolError::new(format!("`{}` did not run: the program is shutting down", cx.tool_name()))
                    .with_kind(ErrorKind::Cancelled),
            )),
        },
    }
}
