//! What the hook `dedupe` knows of the calls of running runs.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_core::journal::fingerprint;
use onionskin_core::{CancellationToken, Exit, RunContext, ToolContext, ToolResult};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard, Notify};

use crate::equal::Call;
use crate::key::root;
use crate::lock::lock;

/// The largest number of calls of all running runs.
const MAX_CALLS: usize = 100_000;
/// The largest number of bytes of these calls: of their arguments and results.
const MAX_BYTES: usize = 64 << 20;
/// The calls and bytes of one run are at most this part of all, so that no run takes the place of all others.
const PART_OF_RUN: usize = 8;
/// The largest number of bytes of a result that is stored.
const MAX_RESULT: usize = 1 << 20;
/// How long a call of a replay waits for the equal call that ran before it in the first run.
pub(super) const ARRIVAL: Duration = Duration::from_mins(1);

/// The calls of a run, or of all running runs, are too many for the hook [`dedupe`](struct@crate::dedupe).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error(
    "`dedupe` knows too many calls of {} already: at most {max_calls}, and {max_bytes} bytes of their arguments and results; call again {}",
    if *one_run { "this run" } else { "running runs" },
    if *one_run { "in another run" } else { "later" }
)]
#[non_exhaustive]
pub struct TooManyCallsError {
    /// The largest number of calls.
    pub max_calls: usize,
    /// The largest number of bytes of their arguments and results. The results of calls that run already may exceed it.
    pub max_bytes: usize,
    /// Whether these are the limits of one run, and not of all running runs.
    pub one_run: bool,
}

#[derive(Default)]
pub(super) struct Calls {
    runs: Mutex<HashMap<Arc<str>, CallsOfRun>>,
    size: Arc<Size>,
}

/// The calls of one run or of all runs, and their bytes.
#[derive(Default)]
struct Size {
    calls: AtomicUsize,
    bytes: AtomicUsize,
}

struct CallsOfRun {
    lines: HashMap<Call, Arc<Line>>,
    size: Arc<Size>,
    /// Cancelled at the end of the run. A resumed run has the same id.
    ended: CancellationToken,
}

/// Equal calls of a run.
pub(super) struct Line {
    hash: String,
    state: AsyncMutex<State>,
    changed: Notify,
    /// The bytes of the arguments and the result, which leave the sizes with the line.
    bytes: AtomicUsize,
    /// Those of its run and of all runs.
    sizes: [Arc<Size>; 2],
}

#[derive(Default)]
pub(super) struct State {
    pub(super) outcome: Outcome,
    /// How many calls had their turn before, and were forgotten.
    pub(super) number: u32,
    /// Whether the last of them was dropped before its tool started.
    pub(super) was_dropped: bool,
}

/// What came of the calls so far.
#[derive(Default)]
pub(super) enum Outcome {
    /// The next call runs.
    #[default]
    Open,
    /// A call ended with this result.
    Done(ToolResult),
    /// A call ended with a result that is too long to be stored.
    TooLong,
    /// A call may have taken effect.
    Unknown,
    /// A call waits for a person in a later run.
    Paused,
}

/// The call that may look at the outcome, run the tool, and change the outcome.
pub(super) struct Turn<'l> {
    state: MutexGuard<'l, State>,
    line: &'l Line,
}

impl Calls {
    /// Makes a place for a call, unless there is one for an equal call of the run.
    pub(super) fn admit(&self, run: &RunContext, call: &Call) -> Result<(), TooManyCallsError> {
        self.with_run(run, |calls| {
            if !calls.lines.contains_key(call) {
                calls.size.check(PART_OF_RUN)?;
                self.size.check(1)?;
            }
            calls.line(call, &self.size);
            Ok(())
        })
    }

    /// The line of an admitted call. In a replay, an earlier start of the run can have admitted it.
    pub(super) fn line(&self, run: &RunContext, call: &Call) -> Arc<Line> {
        self.with_run(run, |calls| calls.line(call, &self.size))
    }

    /// Before the first call of a run, and if there is no place, those of ended runs leave.
    fn with_run<T>(&self, run: &RunContext, with: impl FnOnce(&mut CallsOfRun) -> T) -> T {
        let run = root(run);
        let mut runs = lock(&self.runs);
        if runs.get(run.run_id()).is_none_or(CallsOfRun::have_ended) || self.size.check(1).is_err() {
            runs.retain(|_, calls| !calls.have_ended());
        }
        let new =
            || CallsOfRun { lines: HashMap::new(), size: Arc::default(), ended: run.cancellation().clone() };
        with(runs.entry(run.run_id().into()).or_insert_with(new))
    }

    pub(super) fn len(&self) -> usize {
        self.size.calls.load(Ordering::Relaxed)
    }
}

impl Size {
    /// Whether there is a place for another call, of this part of all calls.
    fn check(&self, part: usize) -> Result<(), TooManyCallsError> {
        let (max_calls, max_bytes) = (MAX_CALLS / part, MAX_BYTES / part);
        let is_full = self.calls.load(Ordering::Relaxed) >= max_calls
            || self.bytes.load(Ordering::Relaxed) >= max_bytes;
        if is_full { Err(TooManyCallsError { max_calls, max_bytes, one_run: part > 1 }) } else { Ok(()) }
    }
}

impl CallsOfRun {
    fn have_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    fn line(&mut self, call: &Call, all: &Arc<Size>) -> Arc<Line> {
        if let Some(line) = self.lines.get(call) {
            return Arc::clone(line);
        }
        let line = Arc::new(Line {
            hash: fingerprint(&call.parts()),
            state: AsyncMutex::default(),
            changed: Notify::new(),
            bytes: AtomicUsize::default(),
            sizes: [Arc::clone(&self.size), Arc::clone(all)],
        });
        for size in &line.sizes {
            size.calls.fetch_add(1, Ordering::Relaxed);
        }
        line.grow(call.bytes());
        self.lines.insert(call.clone(), Arc::clone(&line));
        line
    }
}

impl Line {
    /// Waits until no equal call runs.
    pub(super) async fn turn(&self, cx: &ToolContext) -> Turn<'_> {
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(_) => cx.without_permit(self.state.lock()).await,
        };
        Turn { state, line: self }
    }

    /// The name of the recorded value about the call with this number, without its arguments.
    pub(super) fn name(&self, number: u32) -> String {
        format!("onionskin-hooks.dedupe.{}.{number}", self.hash)
    }

    /// Ends when an equal call has run, or was dropped.
    pub(super) fn changed(&self) -> impl Future<Output = ()> {
        self.changed.notified()
    }

    fn grow(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        for size in &self.sizes {
            size.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        for size in &self.sizes {
            size.calls.fetch_sub(1, Ordering::Relaxed);
            size.bytes.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
        }
    }
}

impl Turn<'_> {
    /// Stores the answer to equal calls. Returns whether it is short enough.
    pub(super) fn finish(&mut self, result: &ToolResult) -> bool {
        let bytes = match result {
            Ok(output) => output.bytes(),
            Err(Exit::Tool(error)) => error.output().bytes(),
            Err(Exit::Stop(stop)) => stop.output().bytes(),
            Err(Exit::Abort(abort)) => abort.reason().len(),
        };
        let is_short = bytes <= MAX_RESULT;
        if is_short {
            self.line.grow(bytes);
            self.state.outcome = Outcome::Done(result.clone());
        }
        is_short
    }

    /// Forgets the call that had its turn.
    pub(super) fn forget(&mut self, was_dropped: bool) {
        self.state.number += 1;
        self.state.was_dropped = was_dropped;
        self.state.outcome = Outcome::Open;
    }

    /// Ends the waits for a change.
    pub(super) fn changes(&self) {
        self.line.changed.notify_waiters();
    }
}

impl Deref for Turn<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}
