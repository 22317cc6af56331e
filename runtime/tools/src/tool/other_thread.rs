//! Runs work on another thread while a task waits for it.

use tracing::Span;

use crate::policy::Flights;
use crate::session::{Chain, Waiting};
use crate::state::{Reads, Recorder};

/// The task-local values and the span of the waiting task, for the thread that works in its place.
pub(crate) struct TaskLocals {
    waiting: Waiting,
    chain: Chain,
    flights: Flights,
    recorder: Option<Recorder>,
    reads: Option<Reads>,
    span: Span,
}

impl TaskLocals {
    pub(crate) fn here() -> Self {
        Self {
            waiting: Waiting::here(),
            chain: Chain::here(),
            flights: Flights::here(),
            recorder: Recorder::here(),
            reads: Reads::here(),
            span: Span::current(),
        }
    }

    /// Runs work on the other thread with these values.
    pub(crate) fn carry<T>(self, work: impl FnOnce() -> T) -> T {
        let work = || Reads::carry(self.reads, work);
        let work = || self.span.in_scope(|| Recorder::carry(self.recorder, work));
        self.chain.carry(|| self.flights.carry(|| self.waiting.carry(work)))
    }
}

/// Runs a future to completion on a new thread, so that it works inside and outside a runtime. It blocks the
/// current thread.
///
/// # Errors
/// Returns an error if the thread or its runtime cannot be created.
pub fn block_on<T: Send + 'static>(
    work: impl FnOnce() -> std::pin::Pin<Box<dyn Future<Output = T>>> + Send + 'static,
) -> std::io::Result<T> {
    let locals = TaskLocals::here();
    let thread = std::thread::Builder::new().name("onionskin".into()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(locals.carry(|| runtime.block_on(work())))
    })?;
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
