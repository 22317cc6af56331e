//! Records what a step of a run does to the state, so that a replay does the same without the step.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::edit::Edit;
use crate::lock::lock;

tokio::task_local! {
    /// The recorder of the step that this task runs.
    static HERE: Recorder;
}

/// One change of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StateChange {
    of: Which,
    /// The number of the change among all changes of this state.
    number: u64,
    edits: Vec<Edit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Which {
    /// The agent's typed state.
    Agent,
    /// The values of the session.
    Session,
}

/// What a step did to the state.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) changes: Vec<StateChange>,
    /// Why a change cannot be recorded.
    pub(crate) problem: Option<String>,
    /// Whether the step stored a secret, which is never recorded.
    pub(crate) has_secret: bool,
}

/// The address of a state, to tell it from others while both live.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address(usize);

impl Address {
    pub(crate) fn of<T: ?Sized>(state: &T) -> Self {
        Self(std::ptr::from_ref(state).cast::<()>().addr())
    }
}

/// Writes a state as JSON.
pub(super) type Writer = fn(&dyn Any) -> Result<Value, String>;

/// Records the changes of one step.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Inner>);

struct Inner {
    /// The agent's state and the session's in the run of the step.
    agent: Address,
    session: Address,
    recorded: Mutex<Recorded>,
    /// The recorder of the step around it: a tool's function can run an agent.
    outer: Option<Recorder>,
}

impl Recorder {
    pub(crate) fn new(agent: Address, session: Address) -> Self {
        Self(Arc::new(Inner { agent, session, recorded: Mutex::default(), outer: Self::here() }))
    }

    /// The recorder of the step that this task runs.
    pub(crate) fn here() -> Option<Self> {
        HERE.try_with(Self::clone).ok()
    }

    /// Records the changes that `work` makes. Tasks that it spawns are not recorded.
    pub(crate) async fn around<T>(&self, work: impl Future<Output = T>) -> T {
        HERE.scope(self.clone(), work).await
    }

    /// Runs `work` on another thread for this task.
    pub(crate) fn carry<T>(this: Option<Self>, work: impl FnOnce() -> T) -> T {
        match this {
            Some(this) => HERE.sync_scope(this, work),
            None => work(),
        }
    }

    pub(crate) fn take(&self) -> Recorded {
        std::mem::take(&mut lock(&self.0.recorded))
    }

    /// This recorder and those around it.
    fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |this| this.0.outer.as_ref())
    }

    fn add(&self, change: StateChange) {
        lock(&self.0.recorded).changes.push(change);
    }
}

/// Records a change of an agent's state, if a step makes it. `edits` is called only then; its error says why the change cannot
/// be recorded.
pub(super) fn agent_state(
    state: Address,
    number: impl FnOnce() -> u64,
    edits: impl FnOnce() -> Result<Vec<Edit>, String>,
) {
    let Some(here) = Recorder::here() else { return };
    let mut recorders = here.all().filter(|recorder| recorder.0.agent == state).peekable();
    if recorders.peek().is_none() {
        return;
    }
    let change = edits().map(|edits| StateChange { of: Which::Agent, number: number(), edits });
    for recorder in recorders {
        match &change {
            Ok(change) => recorder.add(change.clone()),
            Err(problem) => {
                lock(&recorder.0.recorded).problem.get_or_insert_with(|| problem.clone());
            }
        }
    }
}

/// Records a change of a session's values, if a step makes it.
pub(super) fn session_values(session: Address, number: u64, edits: impl Fn() -> Vec<Edit>) {
    let Some(here) = Recorder::here() else { return };
    for recorder in here.all().filter(|recorder| recorder.0.session == session) {
        recorder.add(StateChange { of: Which::Session, number, edits: edits() });
    }
}

/// Records changes that a replay repeated for the steps around them.
pub(crate) fn repeated(changes: &[StateChange], agent: Address, session: Address) {
    let Some(here) = Recorder::here() else { return };
    for change in changes {
        let is_same = |recorder: &&Recorder| match change.of {
            Which::Agent => recorder.0.agent == agent,
            Which::Session => recorder.0.session == session,
        };
        here.all().filter(is_same).for_each(|recorder| recorder.add(change.clone()));
    }
}

/// Notes that a step stores a secret in the session.
pub(super) fn session_secret(session: Address) {
    let Some(here) = Recorder::here() else { return };
    for recorder in here.all().filter(|recorder| recorder.0.session == session) {
        lock(&recorder.0.recorded).has_secret = true;
    }
}

/// The order of the changes of one state.
#[derive(Default)]
pub(super) struct Order {
    /// The number of the last change.
    last: u64,
    /// The state before the repeated changes, and these by number.
    repeated: Option<(Value, BTreeMap<u64, Vec<Edit>>)>,
}

impl Order {
    /// A change that was not repeated is a new beginning.
    pub(super) fn begin_anew(&mut self) {
        self.repeated = None;
    }

    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Repeats a recorded change on a value. Calls of one turn are replayed in the order of the calls, which need not be the
    /// order of their changes: all changes since the last one that was not repeated are made anew, by number.
    fn repeat(&mut self, change: &StateChange, value: &mut Value) -> Result<(), String> {
        self.last = self.last.max(change.number);
        let (before, changes) = self.repeated.get_or_insert_with(|| (value.clone(), BTreeMap::new()));
        changes.insert(change.number, change.edits.clone());
        *value = before.clone();
        changes.values().flatten().try_for_each(|edit| edit.apply(value))
    }

    /// Repeats the changes of one of the two states on its value; `None` if there are none.
    pub(super) fn repeat_all(
        &mut self,
        changes: &[StateChange],
        of: Which,
        value: impl FnOnce() -> Result<Value, String>,
    ) -> Result<Option<Value>, String> {
        let mut changes = changes.iter().filter(|change| change.of == of).peekable();
        if changes.peek().is_none() {
            return Ok(None);
        }
        let mut value = value()?;
        changes.try_for_each(|change| self.repeat(change, &mut value))?;
        Ok(Some(value))
    }
}
