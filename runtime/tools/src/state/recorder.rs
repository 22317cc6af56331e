//! Records the changes that a step makes to the state, so that a replay repeats them without running the
//! step.

use std::any::Any;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::edit::Edit;
use onionskin_definitions::lock::lock;

tokio::task_local! {
    /// The recorder of the current task's step.
    static HERE: Recorder;
}

/// A change of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StateChange {
    of: Which,
    /// The position of the change among all changes of this state.
    number: Number,
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

/// The changes that a step made to the state.
#[derive(Debug, Default)]
pub struct Recorded {
    pub(crate) changes: Vec<StateChange>,
    /// Why a change cannot be recorded.
    pub(crate) problem: Option<String>,
    /// Whether the step stored a secret, which is never recorded.
    pub(crate) has_secret: bool,
}

/// The address of a state, which identifies it while it lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address(usize);

impl Address {
    /// The address of no state.
    pub(super) const NONE: Self = Self(0);

    pub(crate) fn new<T: ?Sized>(state: &T) -> Self {
        Self(std::ptr::from_ref(state).cast::<()>().addr())
    }
}

/// Serialises a state.
pub(super) type Writer = fn(&dyn Any) -> Result<Value, String>;

/// Records the changes of one step.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Inner>);

struct Inner {
    /// The agent's state and the session's state in the run of the step.
    agent: Address,
    session: Address,
    recorded: Mutex<Recorded>,
    /// The recorder of the outer step: a tool's function can run an agent.
    outer: Option<Recorder>,
}

impl Recorder {
    pub(crate) fn new(agent: Address, session: Address) -> Self {
        Self(Arc::new(Inner { agent, session, recorded: Mutex::default(), outer: Self::here() }))
    }

    /// The recorder of the current task's step.
    pub(crate) fn here() -> Option<Self> {
        HERE.try_with(Self::clone).ok()
    }

    /// Records the changes that `work` makes. Tasks that it spawns are not recorded.
    pub(crate) async fn around<T>(&self, work: impl Future<Output = T>) -> T {
        HERE.scope(self.clone(), work).await
    }

    /// Runs `work` on another thread in place of this task.
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

    fn is_of(&self, of: Which, state: Address) -> bool {
        match of {
            Which::Agent => self.0.agent == state,
            Which::Session => self.0.session == state,
        }
    }

    fn add(&self, change: StateChange) {
        lock(&self.0.recorded).changes.push(change);
    }
}

/// Records a change of a state in all enclosing steps. It calls `edits` if there is such a step, or if
/// `is_wanted`; the error says why the change cannot be recorded. Returns the result of `edits` as a change.
pub(super) fn changed(
    of: Which,
    state: Address,
    is_wanted: bool,
    order: &Mutex<Order>,
    edits: impl FnOnce() -> Result<Vec<Edit>, String>,
) -> Option<Result<StateChange, String>> {
    let here = Recorder::here();
    let recorders: Vec<_> = here.iter().flat_map(Recorder::all).filter(|it| it.is_of(of, state)).collect();
    if recorders.is_empty() && !is_wanted {
        lock(order).begin_anew();
        return None;
    }
    let change = edits().map(|edits| lock(order).made(of, edits));
    for recorder in recorders {
        match &change {
            Ok(change) => recorder.add(change.clone()),
            Err(problem) => {
                lock(&recorder.0.recorded).problem.get_or_insert_with(|| problem.clone());
            }
        }
    }
    if change.is_err() {
        lock(order).begin_anew();
    }
    Some(change)
}

/// Records repeated changes in all enclosing steps.
pub(crate) fn repeated(changes: &[StateChange], agent: Address, session: Address) {
    let Some(here) = Recorder::here() else { return };
    for change in changes {
        let state = match change.of {
            Which::Agent => agent,
            Which::Session => session,
        };
        here.all().filter(|it| it.is_of(change.of, state)).for_each(|recorder| recorder.add(change.clone()));
    }
}

/// Notes in all enclosing steps that a secret was stored in the session.
pub(super) fn session_secret(session: Address) {
    let Some(here) = Recorder::here() else { return };
    for recorder in here.all().filter(|recorder| recorder.0.session == session) {
        lock(&recorder.0.recorded).has_secret = true;
    }
}

/// The position of a change: changes are applied in the order of these lists. A list has two numbers for each
/// process that changed the state: the number of the process, lower for later processes, and the number of
/// the change in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "StoredNumber", into = "StoredNumber")]
struct Number(Vec<u64>);

/// Earlier builds stored one number for each change.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredNumber {
    One(u64),
    Several(Vec<u64>),
}

impl From<StoredNumber> for Number {
    fn from(stored: StoredNumber) -> Self {
        match stored {
            StoredNumber::One(only) => Self(vec![only]),
            StoredNumber::Several(all) => Self(all),
        }
    }
}

impl From<Number> for StoredNumber {
    fn from(Number(all): Number) -> Self {
        match &all[..] {
            [only] => Self::One(*only),
            _ => Self::Several(all),
        }
    }
}

impl Number {
    /// The next position after this one, for a change by the process `maker`.
    ///
    /// After a crash, a repeated call makes its change before the recorded changes of concurrent calls are
    /// repeated. So its position is before all positions after this one that earlier processes assigned, and
    /// later replays apply the changes in the order of this process.
    fn next(&self, maker: u64) -> Self {
        let mut next = self.0.clone();
        match &mut *next {
            [.., by, count] if *by == maker => *count += 1,
            _ => next.extend([maker, 1]),
        }
        Self(next)
    }
}

/// A number for this process that is lower than those of all earlier processes.
fn new_maker() -> u64 {
    /// The largest integer that all JSON implementations represent exactly.
    const MOST: u64 = 1 << 53;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    MOST.saturating_sub(u64::try_from(now.as_micros()).unwrap_or(MOST))
}

/// The order of the changes of one state.
#[derive(Default)]
pub(super) struct Order {
    /// The position of the last change.
    last: Number,
    /// The number of this process, once it makes a change.
    maker: Option<u64>,
    /// The state before the repeated changes, and all changes since, in order.
    repeated: Option<(Value, Vec<StateChange>)>,
}

impl Order {
    /// Starts over after an unrecorded change.
    pub(super) fn begin_anew(&mut self) {
        self.repeated = None;
    }

    /// Numbers a new change.
    fn made(&mut self, of: Which, edits: Vec<Edit>) -> StateChange {
        self.last = self.last.next(*self.maker.get_or_insert_with(new_maker));
        let change = StateChange { of, number: self.last.clone(), edits };
        if let Some((_, changes)) = &mut self.repeated {
            changes.push(change.clone());
        }
        change
    }

    /// Applies a recorded change to a value. Calls of one turn are replayed in the order of the calls, which
    /// can differ from the order of their changes: then all changes since the last unrecorded one are applied
    /// again, in order.
    fn repeat(&mut self, change: &StateChange, value: &mut Value) -> Result<(), String> {
        if self.last < change.number {
            self.last = change.number.clone();
        }
        let (before, changes) = self.repeated.get_or_insert_with(|| (value.clone(), Vec::new()));
        let at = changes.partition_point(|other| other.number <= change.number);
        changes.insert(at, change.clone());
        if at + 1 == changes.len() {
            return change.edits.iter().try_for_each(|edit| edit.apply(value));
        }
        *value = before.clone();
        changes.iter().flat_map(|change| &change.edits).try_for_each(|edit| edit.apply(value))
    }

    /// Applies the recorded changes of one state to its value; `None` if there are none.
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
