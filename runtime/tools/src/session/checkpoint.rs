//! Checkpoints of sessions. A paused run restores its session, because the resumed run repeats its changes.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use super::Session;
use crate::model::History;
use crate::state::{RestoreState, StateHandle};
use onionskin_definitions::lock::lock;

/// Functions that capture the states of a session, by type.
pub type StateKeepers = HashMap<TypeId, fn(&StateHandle) -> Option<RestoreState>>;

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
        let keepers = self.0.keepers.get();
        let captured = self.0.states.iter().filter_map(|(id, state)| keepers?.get(id)?(state.as_ref().ok()?));
        Checkpoint {
            session: self.clone(),
            history: self.history(),
            children: lock(&self.0.children).clone(),
            states: captured.chain([self.0.dynamic.capture()]).collect(),
            threads: self.threads().all().iter().map(Self::checkpoint).collect(),
        }
    }
}
