//! Spans of hooks. They are off by default, because a traced call boxes each hook.

use std::any::type_name;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;
use tracing::Span;
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;

use super::attempt::short_name;
use super::next::Latched;
use crate::context::ToolContext;
use crate::event::CallOutcome;
use onionskin_definitions::error::{BoxError, ToolResult};

/// The target of the spans, which have the level trace.
const TARGET: &str = "onionskin::hook";

/// The `place` of hooks around calls.
const CALL: &str = "tool_call";

/// Whether a subscriber takes spans of the level trace. It does not check the target with `span_enabled!`,
/// because that leaves its answer in the filters of `tracing-subscriber`, which then drop the next span.
pub(crate) fn hooks_are_traced() -> bool {
    LevelFilter::current() == LevelFilter::TRACE
}

/// A span that ends when its hook ends or is dropped.
struct HookSpan {
    span: Span,
    /// Whether the end is recorded, or a drop must not be recorded: a run that pauses drops the hooks around
    /// waiting calls.
    ended: bool,
}

impl HookSpan {
    #[cold]
    fn begin(hook: &str, place: &'static str) -> Self {
        let span = tracing::trace_span!(
            target: TARGET,
            "hook",
            otel.name = &*format!("hook {hook}"),
            otel.kind = "internal",
            otel.status_code = Empty,
            error.type = Empty,
            onionskin.hook.name = hook,
            onionskin.hook.place = place,
        );
        Self { span, ended: false }
    }

    fn end(&mut self, error_type: Option<&'static str>) {
        self.ended = true;
        if let Some(kind) = error_type {
            self.span.record("otel.status_code", "ERROR");
            self.span.record("error.type", kind);
        }
    }
}

impl Drop for HookSpan {
    fn drop(&mut self) {
        if !self.ended {
            self.end(Some("cancelled"));
        }
    }
}

/// Ends the span of a hook that panics.
struct Polled<'s>(&'s mut HookSpan);

impl Drop for Polled<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(Some("panic"));
        }
    }
}

pin_project! {
    /// A hook with an optional span. `waits` returns whether its call waits for an answer that this run will
    /// not receive.
    pub struct Traced<F, E, W> {
        #[pin]
        call: F,
        // Boxed, because most programs have none.
        span: Option<Box<HookSpan>>,
        error_type: E,
        waits: W,
    }
}

impl<F: Future, E: Fn(&F::Output) -> Option<&'static str>, W: Fn() -> bool> Future for Traced<F, E, W> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        match this.span {
            None => this.call.poll(task),
            Some(span) => poll_in(span, this.call, &*this.error_type, &*this.waits, task),
        }
    }
}

#[cold]
fn poll_in<F: Future>(
    span: &mut HookSpan,
    call: Pin<&mut F>,
    error_type: impl Fn(&F::Output) -> Option<&'static str>,
    waits: impl Fn() -> bool,
    task: &mut Context<'_>,
) -> Poll<F::Output> {
    let own = span.span.clone();
    let _entered = own.enter();
    let polled = Polled(span);
    let poll = call.poll(task);
    match &poll {
        Poll::Ready(output) => polled.0.end(error_type(output)),
        Poll::Pending => polled.0.ended = waits(),
    }
    poll
}

/// Runs a hook of a call in a span. `of_value` returns the outcome for a value: a typed hook's value can be
/// its tool's error.
pub(crate) async fn in_span<T>(
    cx: &ToolContext,
    hook: impl AsRef<str>,
    call: impl Future<Output = ToolResult<T>>,
    of_value: impl Fn(&T) -> CallOutcome,
) -> ToolResult<T> {
    let error_type = move |result: &ToolResult<T>| {
        result.as_ref().map_or_else(CallOutcome::from_exit, &of_value).error_type()
    };
    let span = Some(Box::new(HookSpan::begin(hook.as_ref(), CALL)));
    Traced { call, span, error_type, waits: || cx.is_waiting() }.await
}

/// Runs a hook of a call in a span. A typed hook only forwards the call here, without a span, because it runs
/// in the ring at its tool.
pub(super) fn traced<'a, F>(
    cx: &'a ToolContext,
    hook: String,
    call: impl FnOnce() -> F + Send + 'a,
) -> BoxFuture<'a, ToolResult>
where
    F: Future<Output = ToolResult> + Send + 'a,
{
    // A hand-written hook can panic before it returns its future.
    let call = async move { call().await };
    if forwards::<F>() { Box::pin(call) } else { Box::pin(in_span(cx, hook, call, |_| CallOutcome::Ok)) }
}

/// Runs a hook `H` of a run, a turn or a message, in a span if a subscriber takes it and the hook implements
/// this place.
pub fn at_place<H, T, F: Future<Output = Result<T, BoxError>>>(
    place: &'static str,
    call: F,
) -> Traced<F, impl Fn(&F::Output) -> Option<&'static str>, impl Fn() -> bool> {
    let span = (hooks_are_traced() && !is_absent::<F>())
        .then(|| Box::new(HookSpan::begin(short_name::<H>(), place)));
    // Only hooks around calls wait for answers.
    Traced { call, span, error_type: |done: &F::Output| done.is_err().then_some("failed"), waits: || false }
}

/// The future of a hook at a place that it does not implement.
pub struct Absent<T>(Ready<T>);

impl<T> Absent<T> {
    /// Creates a ready future.
    pub fn new(value: T) -> Self {
        Self(ready(value))
    }
}

impl<T> Future for Absent<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T> {
        Pin::new(&mut self.0).poll(task)
    }
}

/// Whether the future of a hook is that of the rest of the call. It compares type names, as [`is_absent`]
/// does.
fn forwards<F>() -> bool {
    let generic = |name: &'static str| name.split('<').next();
    generic(type_name::<F>()) == generic(type_name::<Latched<'_, ()>>())
}

/// Whether a future is an [`Absent`]. It compares type names, because a borrowing type has no `TypeId`; a
/// wrong answer costs a span.
fn is_absent<F>() -> bool {
    type_name::<F>().starts_with(concat!(module_path!(), "::Absent<"))
}
