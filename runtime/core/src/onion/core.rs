//! The core of an onion: where a tool is started, watched and, if it panics, caught.

use std::any::{Any, type_name};
use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;

use crate::args::Args;
use crate::context::ToolContext;
use crate::context::timed;
use crate::definition::refuse_lost;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::journal::{CallRecord, StepKind};
use crate::output::ToolOutput;

/// Runs a tool, unless its run was aborted: counts the attempt, holds it to its limits, catches its panic. Nothing of
/// that happens before it is polled.
///
/// `call` only makes the tool's future; made where it stays, it is not moved.
#[inline]
pub fn call_tool<F>(
    cx: &ToolContext,
    call: impl FnOnce() -> F + Send,
) -> impl Future<Output = ToolResult> + Send
where
    F: Future<Output = ToolResult> + Send,
{
    if !cx.entry().is_limited && !cx.run().is_watched() && !cx.is_inside() {
        // A sync tool's panic comes while its future is polled, like an async one's.
        let call = Single { call: call() };
        Attempt::Plain { call: Caught::new(call, cx, panicked), cx, started: false }
    } else {
        Attempt::Watched { call: Box::pin(Rare { call: watch(cx, call) }) }
    }
}

pin_project! {
    /// The choice between an agent's tools, which is the largest function of a program with many. As an `async` block it
    /// would be compiled again in every codegen unit that polls it; a function is compiled once.
    struct Single<F> {
        #[pin]
        call: F,
    }
}

impl<F: Future> Future for Single<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.project().call.poll(context)
    }
}

pin_project! {
    /// One attempt of a tool.
    #[project = Project]
    enum Attempt<'a, F, W> {
        Plain { #[pin] call: F, cx: &'a ToolContext, started: bool },
        // Boxed, so that a call that nobody watches is no larger for it.
        Watched { call: Pin<Box<Rare<W>>> },
    }
}

impl<F, W> Future for Attempt<'_, F, W>
where
    F: Future<Output = ToolResult>,
    W: Future<Output = ToolResult>,
{
    type Output = ToolResult;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        match self.project() {
            Project::Plain { call, cx, started } => {
                if !*started {
                    *started = true;
                    if let Err(exit) = refuse_aborted(cx) {
                        return Poll::Ready(Err(exit));
                    }
                    cx.start_attempt();
                }
                let mut poll = call.poll(context);
                // Asked of the session: whoever told it of a secret meanwhile need not be this run.
                if cx.run().concealed().any() {
                    hide_late(cx, &mut poll);
                }
                if let Poll::Ready(Err(exit)) = &poll {
                    note_failed(cx, exit);
                }
                poll
            }
            Project::Watched { call } => call.as_mut().poll(context),
        }
    }
}

pin_project! {
    /// Keeps what few calls need out of the code of all.
    pub(super) struct Rare<F> {
        #[pin]
        pub(super) call: F,
    }
}

impl<F: Future> Future for Rare<F> {
    type Output = F::Output;

    #[cold]
    #[inline(never)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.project().call.poll(context)
    }
}

/// The tool itself, or another call of the session, concealed something while it ran: no hook sees that either.
#[cold]
#[inline(never)]
fn hide_late(cx: &ToolContext, poll: &mut Poll<ToolResult>) {
    if let Poll::Ready(result) = poll {
        let shown = std::mem::replace(result, Ok(ToolOutput::text("")));
        *result = cx.run().hide(shown);
    }
}

/// A tool whose arguments do not fit was not started.
#[cold]
#[inline(never)]
fn note_failed(cx: &ToolContext, exit: &Exit) {
    if !cx.entry().starts_inside {
        cx.note_refused(&cx.definition().name, exit);
    }
}

/// A hook may swallow an abort and call again before anybody drops it.
#[inline]
fn refuse_aborted(cx: &ToolContext) -> Result<(), Exit> {
    match cx.run().aborted() {
        Some(abort) => Err(Exit::Abort(abort.clone())),
        None => Ok(()),
    }
}

#[cold]
async fn watch<F>(cx: &ToolContext, call: impl FnOnce() -> F + Send) -> ToolResult
where
    F: Future<Output = ToolResult> + Send,
{
    let call = Caught::new(Single { call: call() }, cx, panicked);
    refuse_aborted(cx)?;
    // From one of the tool's own hooks, past the others: that is part of the attempt.
    if cx.is_inside() {
        return timed(cx, call).await;
    }
    cx.admit()?;
    let starts = cx.attempt();
    cx.start_attempt();
    watched(cx, Box::pin(call), starts).await
}

/// Runs a tool that is known at run time only.
///
/// # Errors
/// Those of the tool.
pub fn call_dynamic<'a>(cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
    match cx.dynamic() {
        Some(tool) => match refuse_lost(cx.tool_name(), args) {
            Ok(()) => tool.call_dyn(cx, args),
            Err(exit) => Box::pin(ready(Err(exit))),
        },
        None => Box::pin(ready(Err(Exit::Tool(
            ToolError::new(format!("the tool `{}` is not part of this agent", cx.tool_name()))
                .with_kind(ErrorKind::UnknownTool),
        )))),
    }
}

pin_project! {
    /// Turns a panic of a call into the exit that it stands for.
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
        // Nobody sees what a panic left half done: the future is not polled again.
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

/// Ends a call that takes too long, hides secrets, and makes it a step where there is a journal. Boxed, so that the code of it
/// is made in this crate once and not in every crate that has an agent. The tool was started `before` times.
fn watched<'a>(
    cx: &'a ToolContext,
    call: BoxFuture<'a, ToolResult>,
    before: u32,
) -> BoxFuture<'a, ToolResult> {
    // Inside of the hooks and of the journal: none of them sees a secret.
    let hidden = async move {
        let result = if cx.entry().starts_inside {
            timed(cx, call).await
        } else {
            cx.start(&cx.definition().name, call).await
        };
        cx.run().hide(result)
    };
    Box::pin(async move {
        if cx.run().journal().is_none() {
            return hidden.await;
        }
        let is_replay = AtomicBool::new(true);
        let work = async || {
            is_replay.store(false, Ordering::Relaxed);
            let result = hidden.await;
            CallRecord::new(result, cx.attempt().saturating_sub(before))
        };
        let record = cx.run().step(cx.step_id(StepKind::Tool), work).await;
        if is_replay.load(Ordering::Relaxed) {
            cx.recall_starts(record.starts());
        }
        record.into_result()
    })
}

#[cold]
pub(crate) fn panicked(cx: &ToolContext, panic: &(dyn Any + Send)) -> Exit {
    let text = format!("`{}` panicked: {}", cx.tool_name(), cx.run().hide_text(panic_text(panic)));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Panic))
}

/// The last word of a type's name: for what a macro makes of a function that of the function, for an `Arc` that of what is
/// shared.
pub(crate) fn short_name<T>() -> &'static str {
    let name = type_name::<T>();
    let name = name.strip_prefix("alloc::sync::Arc<").unwrap_or(name);
    let path = name.split(['<', '>']).next().unwrap_or(name);
    path.rsplit("::").next().unwrap_or(path)
}

/// Drops what a panic carried. Where that panics as well, what the second one carries is left alone.
pub(crate) fn discard(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}

/// Runs `work`; a panic of it becomes its words.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(panic_words)
}

/// The words of a panic, which is over with that.
pub(crate) fn panic_words(panic: Box<dyn Any + Send>) -> String {
    let words = panic_text(&*panic).to_owned();
    discard(panic);
    words
}

/// The words of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
