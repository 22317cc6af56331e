//! What the hook `dedupe` knows of the calls of running runs.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_core::journal::fingerprint;
use onionskin_core::{CancellationToken, RunContext, ToolContext, ToolResult};
use tokio::sync::{Mutex as AsyncMutex, MutexGuard, Notify};

use crate::equal::Call;
use crate::key::root;
use crate::lock::lock;

/// The largest number of calls of all running runs.
const MAX_CALLS: usize = 100_000;
/// How long a call of a replay waits for the equal call that ran before it in the first run.
pub(super) const ARRIVAL: Duration = Duration::from_mins(1);

/// The calls of running runs are too many for the hook [`dedupe`](struct@crate::dedupe).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{max_calls} calls of running runs are known already, and no more are allowed: call again later")]
#[non_exhaustive]
pub struct TooManyCallsError {
    /// The largest number of calls.
    pub max_calls: usize,
}

#[derive(Default)]
pub(super) struct Calls(Mutex<HashMap<Key, Known>>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    run_id: Arc<str>,
    call: Call,
}

struct Known {
    line: Arc<Line>,
    /// Cancelled at the end of the run. A resumed run has the same id.
    run_ended: CancellationToken,
}

/// Equal calls of a run.
pub(super) struct Line {
    hash: String,
    state: AsyncMutex<State>,
    changed: Notify,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) outcome: Outcome,
    /// How many calls ran before, and were forgotten.
    pub(super) number: u32,
}

/// What came of the calls so far.
#[derive(Default)]
pub(super) enum Outcome {
    /// The next call runs.
    #[default]
    Open,
    /// A call ended with this result.
    Done(ToolResult),
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
    pub(super) fn line(&self, run: &RunContext, call: Call) -> Result<Arc<Line>, TooManyCallsError> {
        let run = root(run);
        let key = Key { run_id: run.run_id().into(), call };
        let mut calls = lock(&self.0);
        if let Some(known) = calls.get(&key).filter(|known| !known.run_ended.is_cancelled()) {
            return Ok(Arc::clone(&known.line));
        }
        if calls.len() >= MAX_CALLS {
            calls.retain(|_, known| !known.run_ended.is_cancelled());
            if calls.len() >= MAX_CALLS {
                return Err(TooManyCallsError { max_calls: MAX_CALLS });
            }
        }
        let line = Arc::new(Line {
            hash: fingerprint(&key.call.parts()),
            state: AsyncMutex::default(),
            changed: Notify::new(),
        });
        calls.insert(key, Known { line: Arc::clone(&line), run_ended: run.cancellation().clone() });
        Ok(line)
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
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

    /// Identifies the calls in the run, without their arguments.
    pub(super) fn hash(&self) -> &str {
        &self.hash
    }

    /// Ends when an equal call has run, or was dropped.
    pub(super) fn changed(&self) -> impl Future<Output = ()> {
        self.changed.notified()
    }
}

impl Turn<'_> {
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
