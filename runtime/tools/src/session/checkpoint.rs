//! The content of a session at one moment. A run that pauses leaves its session as it was, because it does all again when it is
//! resumed.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use super::Session;
use crate::model::History;
use crate::state::{RestoreState, StateHandle};
use onionskin_definitions::lock::lock;

/// How the states of a session are restored, by their types.
pub type StateKeepers = HashMap<TypeId, fn(&StateHandle) -> Option<RestoreState>>;

/// The content of a session at one moment.
pub struct Checkpoint {
    session: Session,
    history: History,
    children: HashMap<Arc<str>, History>,
    states: Vec<RestoreState>,
    /// The conversations with agent tools.
    threads: Vec<Self>,
}

impl Checkpoint {
    /// Gives the session this content again. Secrets that it knows since then stay masked.
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
    /// Says how its states are restored.
    pub fn keep_states_with(&self, keepers: StateKeepers) {
        let _ = self.0.keepers.set(keepers);
    }

    /// The content of the session now.
    pub fn checkpoint(&self) -> Checkpoint {
        let keepers = self.0.keepers.get();
        let kept = self.0.states.iter().filter_map(|(id, state)| keepers?.get(id)?(state.as_ref().ok()?));
        Checkpoint {
            session: self.clone(),
            history: self.history(),
            children: lock(&self.0.children).clone(),
            states: kept.chain([self.0.dynamic.kept_now()]).collect(),
            threads: self.threads().all().iter().map(Self::checkpoint).collect(),
        }
    }
}
