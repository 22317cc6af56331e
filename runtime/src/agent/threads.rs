//! Threads: the conversations with agents that are called as tools.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::instance::Instance;
use super::session::Session;

/// So many threads a model may begin in one session.
const MOST: usize = 64;

/// The threads of one session, by agent and name.
#[derive(Default)]
pub(super) struct Threads(Mutex<HashMap<Key, Session>>);

/// Who chose a thread. A model never gets into one that code chose, whatever name it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Chosen {
    ByCode,
    ByModel,
}

struct Key {
    agent: Arc<Instance>,
    chosen: Chosen,
    name: Box<str>,
}

impl Threads {
    /// The thread of this name, which begins with it. None if a model has begun too many.
    pub(super) fn open(
        &self,
        agent: &Arc<Instance>,
        chosen: Chosen,
        name: &str,
        begin: impl FnOnce() -> Session,
    ) -> Option<Session> {
        let mut threads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = chosen == Chosen::ByModel
            && threads.keys().filter(|key| key.chosen == chosen && Arc::ptr_eq(&key.agent, agent)).count()
                >= MOST;
        match threads.entry(Key { agent: Arc::clone(agent), chosen, name: name.into() }) {
            Entry::Occupied(there) => Some(there.get().clone()),
            Entry::Vacant(_) if is_full => None,
            Entry::Vacant(place) => Some(place.insert(begin()).clone()),
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.agent, &other.agent) && self.chosen == other.chosen && self.name == other.name
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.agent), self.chosen, &self.name).hash(state);
    }
}
