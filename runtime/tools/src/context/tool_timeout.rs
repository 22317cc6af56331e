//! The time limit for one attempt of a tool's function.

use std::panic::catch_unwind;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep};

use super::{CallProgress, ToolContext};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

pin_project! {
    /// A layer of a call with the tool's `timeout`, unless the limit applies to a layer further inside.
    ///
    /// The layers between the core and the function (hooks, approval, cache) may take any time. On its first
    /// poll such a layer calls [`ToolContext::timeout_is_inner`], and it wraps its inner layer in a `Timed`.
    /// So the limit applies to the innermost layer.
    struct Timed<'a, F> {
        #[pin]
        call: Option<F>,
        cx: &'a ToolContext,
        limit: Duration,
        // The time spent waiting for answers, which extends the limit.
        waited: Duration,
        #[pin]
        clock: Clock,
    }
}

pin_project! {
    #[project = Project]
    enum Clock {
        /// Not polled yet.
        New,
        Runs { #[pin] sleep: Sleep },
        /// The limit applies to a layer further inside.
        Off,
    }
}

/// Applies the tool's `timeout` to a layer of a call.
pub(crate) async fn timed<T, F>(cx: &ToolContext, call: F) -> ToolResult<T>
where
    F: Future<Output = ToolResult<T>>,
{
    match cx.definition().timeout {
        None => call.await,
        Some(_) if !has_timers() => Err(no_timers(cx)),
        Some(limit) => Timed { call: Some(call), cx, limit, waited: Duration::ZERO, clock: Clock::New }.await,
    }
}

impl<T, F: Future<Output = ToolResult<T>>> Future for Timed<'_, F> {
    type Output = ToolResult<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult<T>> {
        let mut this = self.project();
        let Some(call) = this.call.as_mut().as_pin_mut() else { return Poll::Pending };
        let is_first = matches!(this.clock.as_mut().project(), Project::New);
        if is_first {
            this.cx.set_timeout_inner(false);
        }
        let poll = call.poll(context);
        if is_first {
            let clock = if this.cx.is_timeout_inner() {
                Clock::Off
            } else {
                Clock::Runs { sleep: sleep(*this.limit) }
            };
            this.clock.set(clock);
            // The limit does not apply to the layers outside.
            this.cx.set_timeout_inner(true);
        }
        if poll.is_ready() {
            return poll;
        }
        let Project::Runs { mut sleep } = this.clock.as_mut().project() else { return Poll::Pending };
        while sleep.as_mut().poll(context).is_ready() {
            let waited = this.cx.waited();
            let more = waited.saturating_sub(*this.waited);
            if more.is_zero() {
                // The call is dropped before the timeout is reported.
                let left = this.cx.end_start(|| this.call.set(None));
                return Poll::Ready(Err(late(this.cx, *this.limit, left)));
            }
            *this.waited = waited;
            sleep.as_mut().reset(Instant::now() + more);
        }
        Poll::Pending
    }
}

impl ToolContext {
    /// Records that the `timeout` applies to a layer inside the caller, not to the caller itself.
    pub(crate) fn timeout_is_inner(&self) {
        if self.definition().timeout.is_some() {
            self.set_timeout_inner(true);
        }
    }

    pub(crate) fn set_timeout_inner(&self, is_so: bool) {
        self.data(|data| data.timeout_is_inner = is_so);
    }

    pub(crate) fn is_timeout_inner(&self) -> bool {
        self.data_if_any(|data| data.timeout_is_inner).unwrap_or(false)
    }
}

/// Whether the tokio runtime has timers. tokio reports their absence only by a panic.
pub fn has_timers() -> bool {
    Handle::try_current().is_ok() && catch_unwind(|| drop(sleep(Duration::ZERO))).is_ok()
}

/// The error for a tool whose limit cannot be enforced. The tool does not start.
#[cold]
fn no_timers(cx: &ToolContext) -> Exit {
    let name = cx.tool_name();
    Exit::tool(format!(
        "`{name}` did not run: it has a `timeout`, which needs a tokio runtime with timers; build the runtime with \
         `enable_time()` or `enable_all()`"
    ))
}

fn late(cx: &ToolContext, limit: Duration, left: CallProgress) -> Exit {
    let name = cx.tool_name();
    let text = match left {
        CallProgress::NotStarted => {
            format!("`{name}` waited longer than {limit:?} for a thread; it did not begin, and it will not")
        }
        CallProgress::Running => {
            format!(
                "`{name}` took longer than {limit:?}. It had begun and cannot be stopped: it may still take effect"
            )
        }
        CallProgress::Started
        | CallProgress::Succeeded
        | CallProgress::Reported
        | CallProgress::Aborted
        | CallProgress::Waiting => {
            format!("`{name}` took longer than {limit:?}; it was cancelled{}", cx.unknown_effect())
        }
    };
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Timeout))
}
