//! The typed states of sessions as they are captured, stored and restored, and checkpoints. A paused run restores its session, because the resumed run repeats its changes.

use std::any::TypeId;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::{SavedSessionError, Session};
use crate::model::History;
use crate::state::{RestoreState, StateCodec, StateHandle};
use onionskin_definitions::lock::lock;
use onionskin_definitions::text::names;

/// How the states of a session are captured and stored, by type.
pub type StateKeepers = HashMap<TypeId, StateKeeper>;

/// How a state is captured and stored.
#[derive(Clone, Copy)]
pub struct StateKeeper {
    /// The type's name.
    pub name: &'static str,
    /// What sets a cell to this state, by default to its newest one. `None` if the types differ.
    pub restorer: fn(&StateHandle, Option<StateHandle>) -> Option<RestoreState>,
    /// `None` for a type that cannot be serialised.
    pub codec: Option<StateCodec>,
}

/// A state that can be stored.
pub(super) struct StoredState<'s> {
    /// The type's name.
    pub(super) name: &'static str,
    /// The newest state.
    pub(super) newest: StateHandle,
    state: &'s StateHandle,
    codec: StateCodec,
}

impl StoredState<'_> {
    /// The newest state as JSON.
    ///
    /// # Errors
    /// Returns an error if it cannot be stored, for example because it holds a secret.
    pub(super) fn to_json(&self) -> Result<Value, SavedSessionError> {
        let error = |reason| SavedSessionError::UnsavedState { state: self.name.to_owned(), reason };
        self.codec.to_stored(self.state).map_err(error)
    }
}

/// The content of a session at a point in time.
pub struct Checkpoint {
    session: Session,
    history: History,
    children: HashMap<Arc<str>, History>,
    states: Vec<RestoreState>,
    /// The checkpoints of the conversations with agent tools.
    threads: Vec<Self>,
}

impl Checkpoint {
    /// Restores this content. Secrets that were registered since remain masked.
    pub fn restore(self) {
        let Self { session, history, children, states, threads } = self;
        session.replace_history(history);
        *lock(&session.0.children) = children;
        for restore in states {
            restore();
        }
        session.threads().retain(&threads.iter().map(|thread| thread.session.clone()).collect::<Vec<_>>());
        threads.into_iter().for_each(Self::restore);
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Session {
    /// Sets the functions that capture its states.
    pub fn keep_states_with(&self, keepers: StateKeepers) {
        let _ = self.0.keepers.set(keepers);
    }

    /// Creates a checkpoint.
    pub fn checkpoint(&self) -> Checkpoint {
        let captured = self
            .states_with_keepers()
            .filter_map(|(keeper, state)| (keeper.restorer)(state.as_ref().ok()?, None));
        Checkpoint {
            session: self.clone(),
            history: self.history(),
            children: lock(&self.0.children).clone(),
            states: captured.chain([self.0.dynamic.capture()]).collect(),
            threads: self.threads().all().iter().map(Self::checkpoint).collect(),
        }
    }
}

impl Session {
    /// The states and their keepers.
    fn states_with_keepers(&self) -> impl Iterator<Item = (&StateKeeper, &Result<StateHandle, String>)> {
        let keepers = self.0.keepers.get();
        self.0.states.iter().filter_map(move |(id, state)| Some((keepers?.get(id)?, state)))
    }

    /// The JSON of each state by its type's name, or why it has none.
    pub(super) fn states_to_json(&self) -> BTreeMap<Arc<str>, Result<Value, String>> {
        let json = |keeper: &StateKeeper, state: &Result<StateHandle, String>| {
            match keeper.codec {
            Some(codec) => codec.to_stored(state.as_ref().map_err(String::clone)?),
            None => Err("derive `serde::Serialize` and `serde::Deserialize` for it, and name it as `state:` of an agent; \
                         an agent written by hand also calls `AgentDeclaration::record_state`"
                .to_owned()),
        }
        };
        self.states_with_keepers().map(|(keeper, state)| (keeper.name.into(), json(keeper, state))).collect()
    }

    /// The names of the states that stored sessions leave out.
    pub(super) fn unstored_states(&self) -> Vec<&'static str> {
        let unstored = self.states_with_keepers().filter(|(keeper, _)| keeper.codec.is_none());
        unstored.map(|(keeper, _)| keeper.name).collect()
    }

    /// The states that can be stored, in the order of their names.
    pub(super) fn stored_states(&self) -> Vec<StoredState<'_>> {
        let stored = self.states_with_keepers().filter_map(|(keeper, state)| {
            let (codec, state) = (keeper.codec?, state.as_ref().ok()?);
            Some(StoredState { name: keeper.name, newest: codec.newest(state)?, state, codec })
        });
        let mut stored: Vec<_> = stored.collect();
        stored.sort_by_key(|state| state.name);
        stored
    }

    /// What sets a state to its stored JSON.
    pub(super) fn state_from_json(
        &self,
        name: &str,
        json: &Value,
    ) -> Result<RestoreState, SavedSessionError> {
        let Some((keeper, state)) = self.states_with_keepers().find(|(keeper, _)| keeper.name == name) else {
            let known: Vec<_> =
                self.states_with_keepers().map(|(keeper, _)| keeper.name.to_owned()).collect();
            return Err(SavedSessionError::UnknownState { state: name.to_owned(), known: names(&known) });
        };
        let restorer = || {
            let codec = keeper.codec.ok_or("its type cannot be deserialised")?;
            let new = codec.read_stored(json)?;
            let restorer = (keeper.restorer)(state.as_ref().map_err(String::clone)?, Some(new));
            restorer.ok_or_else(|| format!("it is not `{name}`"))
        };
        restorer().map_err(|reason| SavedSessionError::Unreadable { part: format!("states.{name}"), reason })
    }
}
