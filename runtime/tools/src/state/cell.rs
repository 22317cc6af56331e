//! The typed state of a program.

use std::any::{Any, type_name};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::edit::edits;
use super::encode::encode;
use super::reads::{Form, Reads, Snapshot};
use super::recorder::{self, Address, Order, StateChange, Which, Writer};
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::StateVisitor;

const HOLDS_SECRET: &str = "it holds a secret";

/// A type-erased state cell.
pub type StateHandle = Arc<dyn Any + Send + Sync>;

/// Restores the snapshot that a state had when this was created.
pub type RestoreState = Box<dyn FnOnce() + Send>;

/// Holds the newest snapshot. No lock is held across an await.
pub struct StateCell<S> {
    newest: Mutex<Arc<S>>,
    /// Locked while an update runs, so that updates are sequential. Readers do not wait.
    updating: Mutex<()>,
    /// The thread of the running update.
    updater: Mutex<Option<ThreadId>>,
    /// Lists the secrets of a state; `None` if the type has none.
    visitor: Option<StateVisitor>,
    /// The order of the changes that journals record.
    order: Mutex<Order>,
}

impl<S: Send + Sync + 'static> StateCell<S> {
    /// Creates a cell, with the visitor that lists the state's secrets.
    pub fn handle(state: S, visitor: Option<StateVisitor>) -> StateHandle {
        Arc::new(Self {
            newest: Mutex::new(Arc::new(state)),
            updating: Mutex::default(),
            updater: Mutex::default(),
            visitor,
            order: Mutex::default(),
        })
    }

    /// Creates a cell, and lists the secrets of the state.
    pub fn with_secrets(state: S, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>) {
        let secrets = StateVisitor::listed(visitor, &state);
        (Self::handle(state, visitor), secrets)
    }

    /// Lists the secrets of a state.
    pub(crate) fn secrets(&self, state: &S) -> Vec<Vec<u8>> {
        StateVisitor::listed(self.visitor, state)
    }

    pub(crate) fn snapshot(&self) -> Arc<S> {
        Arc::clone(&lock(&self.newest))
    }

    /// Makes `state` the newest snapshot.
    pub(crate) fn set(&self, state: S) {
        *lock(&self.newest) = Arc::new(state);
    }

    /// As [`Self::set`], and records the change if it is part of a step.
    pub(crate) fn set_recorded(&self, state: S, codec: Option<Writer>) {
        let edits = || {
            let problem = match codec {
                _ if !self.secrets(&state).is_empty() => HOLDS_SECRET.to_owned(),
                Some(write) => match (write(&*self.snapshot()), write(&state)) {
                    (Ok(before), Ok(after)) => return Ok(edits(&before, &after)),
                    (Err(problem), _) | (_, Err(problem)) => problem,
                },
                None => "derive `serde::Serialize` and `serde::Deserialize` for it; an agent written by hand also calls \
                         `AgentDeclaration::record_state`"
                    .to_owned(),
            };
            Err(format!("it changed the state `{}`, which cannot be recorded: {problem}", type_name::<S>()))
        };
        let reads = Reads::for_state(Which::Agent, Address::new(self));
        let change = recorder::changed(Which::Agent, Address::new(self), reads.is_some(), &self.order, edits);
        match (reads, change) {
            (Some(reads), Some(Ok(change))) => {
                reads.note_change(Snapshot::Agent(self.snapshot(), codec), change);
            }
            (Some(reads), _) => reads.note_unrecorded(Which::Agent),
            (None, _) => {}
        }
        self.set(state);
    }

    /// The newest snapshot for the code of a run: in a replay the recorded one.
    pub(crate) fn observe(&self, form: Option<Form>) -> Arc<S> {
        let Some(reads) = Reads::for_state(Which::Agent, Address::new(self)) else { return self.snapshot() };
        if let Some(state) = reads.known(Which::Agent).and_then(|value| Self::read(form, &value, &reads)) {
            return state;
        }
        let newest = self.snapshot();
        if self.visitor.is_some() && !self.secrets(&newest).is_empty() {
            reads.note_unrecorded(Which::Agent);
        } else {
            reads.note(Snapshot::Agent(newest.clone(), form.map(|form| form.write)));
        }
        newest
    }

    /// In a replay, the next recorded change and the snapshot before it; `None` if the change was not
    /// recorded.
    pub(crate) fn recorded_change(&self, form: Option<Form>) -> Option<(Arc<S>, StateChange)> {
        let reads = Reads::for_state(Which::Agent, Address::new(self))?;
        let (value, change) = reads.recorded_change(Which::Agent)?;
        Some((Self::read(form, &value, &reads)?, change))
    }

    fn read(form: Option<Form>, value: &Value, reads: &Reads) -> Option<Arc<S>> {
        let problem = match form.map(|form| (form.read)(value)) {
            Some(Ok(state)) => match state.downcast::<S>() {
                Ok(state) => return Some(state),
                Err(_) => format!("the recorded state is not `{}`", type_name::<S>()),
            },
            Some(Err(problem)) => {
                format!("the recorded state `{}` cannot be read: {problem}", type_name::<S>())
            }
            None => format!("the state `{}` was recorded, and cannot be read now", type_name::<S>()),
        };
        reads.fail(problem);
        None
    }

    /// Waits for the right to update.
    pub(crate) fn begin_update(&self) -> Update<'_> {
        let this = Some(thread::current().id());
        // Only this thread writes its own id, so there is no race.
        assert!(
            *lock(&self.updater) != this,
            "`State::update` was called inside of an update of the same state, which would wait for itself: make both \
             changes in one update"
        );
        let updating = lock(&self.updating);
        *lock(&self.updater) = this;
        Update { updater: &self.updater, _updating: updating }
    }
}

impl<S: Serialize + DeserializeOwned + Send + Sync + 'static> StateCell<S> {
    /// The newest snapshot as JSON that can be read back.
    ///
    /// # Errors
    /// Returns an error if it holds a secret or cannot be read back.
    pub(super) fn to_stored(&self) -> Result<Value, String> {
        let state = self.snapshot();
        if self.secrets(&state).is_empty() { encode(&*state) } else { Err(HOLDS_SECRET.to_owned()) }
    }

    /// Repeats recorded changes.
    ///
    /// # Errors
    /// Returns an error if the changes do not fit the state.
    pub(super) fn repeat(&self, changes: &[StateChange]) -> Result<(), String> {
        let _update = self.begin_update();
        let before = || serde_json::to_value(&*self.snapshot()).map_err(|error| error.to_string());
        if let Some(after) = lock(&self.order).repeat_all(changes, Which::Agent, before)? {
            self.set(serde_json::from_value(after).map_err(|error| error.to_string())?);
        }
        Ok(())
    }
}

impl<S: Clone + Send + Sync + 'static> StateCell<S> {
    /// As [`Self::with_secrets`], for a state without an agent.
    pub fn undeclared(state: S) -> (StateHandle, Vec<Vec<u8>>) {
        Self::with_secrets(state, Some(StateVisitor::by_copy::<S>()))
    }

    /// Creates a new cell with a copy of a cell's newest snapshot.
    pub(crate) fn fork(handle: &StateHandle) -> Option<StateHandle> {
        let cell = Arc::clone(handle).downcast::<Self>().ok()?;
        Some(Self::handle(S::clone(&cell.snapshot()), cell.visitor))
    }

    /// What sets the cell to `state`, by default to the newest snapshot of now. `None` if the types differ.
    pub fn restorer(handle: &StateHandle, state: Option<StateHandle>) -> Option<RestoreState> {
        let cell = Arc::clone(handle).downcast::<Self>().ok()?;
        let state = match state {
            Some(state) => state.downcast::<S>().ok()?,
            None => cell.snapshot(),
        };
        Some(Box::new(move || {
            *lock(&cell.order) = Order::default();
            *lock(&cell.newest) = state;
        }))
    }

    /// Lists the secrets of a state that the cell is to hold.
    pub(crate) fn secrets_of(handle: &StateHandle, state: &S) -> Vec<Vec<u8>> {
        handle.downcast_ref::<Self>().map(|cell| cell.secrets(state)).unwrap_or_default()
    }

    /// The newest snapshot of a cell.
    pub(crate) fn newest(handle: &StateHandle) -> Option<Arc<S>> {
        let cell = Arc::clone(handle).downcast::<Self>().ok()?;
        Some(cell.snapshot())
    }
}

/// A running update. Dropping it, also by a panic, lets the next one start.
pub(crate) struct Update<'c> {
    updater: &'c Mutex<Option<ThreadId>>,
    _updating: MutexGuard<'c, ()>,
}

impl Drop for Update<'_> {
    fn drop(&mut self) {
        *lock(self.updater) = None;
    }
}
