//! Reads and changes of states by code between the steps of a run. They are recorded, so that a replay reads
//! and changes the same.
//!
//! Calls run concurrently, so a hook reads what other calls have done so far. That depends on timing, which a
//! replay does not reproduce.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::recorder::{Address, StateChange, Which, Writer};
use onionskin_definitions::lock::lock;

tokio::task_local! {
    /// The reads of the current task's code; `None` inside a step, whose result is recorded.
    static HERE: Option<Reads>;
}

/// Deserialises a state.
pub(super) type Reader = fn(&Value) -> Result<Arc<dyn Any + Send + Sync>, String>;

/// Serialises and deserialises a state.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(super) write: Writer,
    pub(super) read: Reader,
}

/// Consecutive reads of one state, or one change of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Read {
    of: Which,
    value: ReadValue,
    /// The number of reads.
    times: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    change: Option<StateChange>,
}

/// The recorded value of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReadValue {
    /// The value that the same code read before.
    Same,
    Is(Value),
    /// Not recorded, because it is not serialisable or contains a secret: a replay reads the current state.
    Unrecorded,
}

/// A snapshot of a state, which is serialised only when it is recorded.
pub(super) enum Snapshot {
    Agent(Arc<dyn Any + Send + Sync>, Option<Writer>),
    Session(Arc<Value>),
}

impl Snapshot {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Agent(one, _), Self::Agent(other, _)) => Arc::ptr_eq(one, other),
            (Self::Session(one), Self::Session(other)) => Arc::ptr_eq(one, other),
            (Self::Agent(..), Self::Session(_)) | (Self::Session(_), Self::Agent(..)) => false,
        }
    }

    fn which(&self) -> Which {
        match self {
            Self::Agent(..) => Which::Agent,
            Self::Session(_) => Which::Session,
        }
    }

    fn to_json(&self) -> Option<Arc<Value>> {
        match self {
            Self::Agent(state, write) => write.and_then(|write| write(&**state).ok()).map(Arc::new),
            Self::Session(values) => Some(Arc::clone(values)),
        }
    }
}

/// The reads and changes of code between the steps of one call or run.
#[derive(Clone)]
pub(crate) struct Reads(Arc<Inner>);

struct Inner {
    agent: Address,
    session: Address,
    segment: Mutex<Segment>,
}

/// The values of the agent's state and of the session's state.
pub(crate) type Last = [Option<Arc<Value>>; 2];

/// The code between two steps.
#[derive(Default)]
struct Segment {
    /// The record of an earlier run; `None` if there is none.
    known: Option<VecDeque<Known>>,
    made: Vec<Made>,
    /// The last recorded or repeated values.
    last: Last,
    /// How the code deviates from its record.
    problem: Option<String>,
}

struct Made {
    snapshot: Option<Snapshot>,
    of: Which,
    times: u32,
    change: Option<StateChange>,
}

struct Known {
    of: Which,
    /// `None` if it was not recorded.
    value: Option<Arc<Value>>,
    times: u32,
    change: Option<StateChange>,
}

impl Reads {
    pub(crate) fn new(agent: Address, session: Address) -> Self {
        Self(Arc::new(Inner { agent, session, segment: Mutex::default() }))
    }

    /// The reads of the current task's code.
    pub(crate) fn here() -> Option<Self> {
        HERE.try_with(Clone::clone).ok().flatten()
    }

    /// The reads of the current task's code, if its run has this state.
    pub(super) fn for_state(state: Which, address: Address) -> Option<Self> {
        Self::here().filter(|here| match state {
            Which::Agent => here.0.agent == address,
            Which::Session => here.0.session == address,
        })
    }

    /// Runs `work` with these reads, or with none.
    pub(crate) async fn around<T>(this: Option<Self>, work: impl Future<Output = T>) -> T {
        HERE.scope(this, work).await
    }

    /// Runs `work` on another thread in place of this task.
    pub(crate) fn carry<T>(this: Option<Self>, work: impl FnOnce() -> T) -> T {
        HERE.sync_scope(this, work)
    }

    /// The last recorded or repeated values.
    pub(crate) fn last(&self) -> Last {
        lock(&self.0.segment).last.clone()
    }

    /// Resets the last values to these, because a replay skips the reads since.
    pub(crate) fn reset_last(&self, last: Last) {
        lock(&self.0.segment).last = last;
    }

    /// Starts the code after a step, with the record of an earlier run.
    pub(crate) fn begin(&self, recorded: Option<Vec<Read>>) {
        let mut segment = lock(&self.0.segment);
        segment.made.clear();
        segment.known = recorded.map(|reads| {
            let known = reads.into_iter().map(|Read { of, value, times, change }| {
                let last = &mut segment.last[of as usize];
                let value = match value {
                    ReadValue::Same => last.clone(),
                    ReadValue::Is(value) => Some(Arc::clone(last.insert(Arc::new(value)))),
                    ReadValue::Unrecorded => None,
                };
                Known { of, value, times, change }
            });
            known.collect()
        });
    }

    /// Returns the unrecorded reads and changes since the last step. `is_secret` selects values that must not
    /// be recorded.
    ///
    /// # Errors
    /// Returns how the code deviates from its record.
    pub(crate) fn end(&self, is_secret: impl Fn(&Value) -> bool) -> Result<Vec<Read>, String> {
        let mut segment = lock(&self.0.segment);
        if let Some(problem) = segment.problem.take() {
            return Err(problem);
        }
        let made = std::mem::take(&mut segment.made);
        if segment.known.is_some() {
            return Ok(Vec::new());
        }
        let mut before: Option<(Snapshot, ReadValue)> = None;
        let reads = made.into_iter().map(|Made { snapshot, of, times, change }| {
            let unrecorded = || Read { of, value: ReadValue::Unrecorded, times, change: None };
            let Some(snapshot) = snapshot else { return unrecorded() };
            let is_same = before.as_ref().is_some_and(|(before, _)| before.is(&snapshot));
            if !is_same {
                let value = match snapshot.to_json() {
                    None => ReadValue::Unrecorded,
                    Some(value) if is_secret(&value) => ReadValue::Unrecorded,
                    Some(value) => {
                        let last = &mut segment.last[of as usize];
                        if last.as_ref() == Some(&value) {
                            ReadValue::Same
                        } else {
                            ReadValue::Is(Value::clone(last.insert(value)))
                        }
                    }
                };
                before = Some((snapshot, value));
            }
            let value = match &mut before {
                Some((_, value @ ReadValue::Is(_))) => std::mem::replace(value, ReadValue::Same),
                Some((_, value)) => value.clone(),
                None => ReadValue::Unrecorded,
            };
            let is_hidden = || {
                change
                    .as_ref()
                    .is_some_and(|change| serde_json::to_value(change).is_ok_and(|it| is_secret(&it)))
            };
            if value == ReadValue::Unrecorded || is_hidden() {
                return unrecorded();
            }
            Read { of, value, times, change }
        });
        Ok(reads.collect())
    }

    /// The recorded value of the next read; `None` if it was not recorded.
    pub(super) fn known(&self, of: Which) -> Option<Arc<Value>> {
        self.next(of, false)?.0
    }

    /// The next recorded change and the value before it; `None` if it was not recorded.
    pub(super) fn recorded_change(&self, of: Which) -> Option<(Arc<Value>, StateChange)> {
        let (value, change) = self.next(of, true)?;
        Some((value?, change?))
    }

    fn next(&self, of: Which, is_change: bool) -> Option<(Option<Arc<Value>>, Option<StateChange>)> {
        let mut segment = lock(&self.0.segment);
        let next = segment.known.as_mut()?.front_mut()?;
        if next.of != of || (next.value.is_some() && next.change.is_some() != is_change) {
            segment.problem.get_or_insert_with(|| {
                "the code between two steps reads or changes the states in another order than when it was recorded".to_owned()
            });
            return None;
        }
        next.times -= 1;
        let found = (next.value.clone(), next.change.clone());
        if next.times == 0 {
            segment.known.as_mut()?.pop_front();
        }
        Some(found)
    }

    /// Notes a problem with recorded changes.
    pub(crate) fn fail(&self, problem: String) {
        lock(&self.0.segment).problem.get_or_insert(problem);
    }

    /// Notes a read.
    pub(super) fn note(&self, snapshot: Snapshot) {
        let mut segment = lock(&self.0.segment);
        let of = snapshot.which();
        if let Some(Made { snapshot: Some(last), times, change: None, .. }) = segment.made.last_mut()
            && last.is(&snapshot)
            && *times < u32::MAX
        {
            *times += 1;
            return;
        }
        segment.made.push(Made { snapshot: Some(snapshot), of, times: 1, change: None });
    }

    /// Notes a read of a state that must not be recorded, or a change that cannot be.
    pub(super) fn note_unrecorded(&self, of: Which) {
        lock(&self.0.segment).made.push(Made { snapshot: None, of, times: 1, change: None });
    }

    /// Notes a change, and the state before it.
    pub(super) fn note_change(&self, before: Snapshot, change: StateChange) {
        let of = before.which();
        lock(&self.0.segment).made.push(Made { snapshot: Some(before), of, times: 1, change: Some(change) });
    }
}
