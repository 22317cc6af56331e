//! Threads: the conversations with agent tools.

use std::any::Any;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

use super::log::PartSnapshot;
use super::{SavedSession, SavedSessionError, Session};
use crate::session_store::ThreadKey;
use onionskin_definitions::lock::lock;

/// The threads of one session.
#[derive(Default)]
pub struct Threads {
    open: Mutex<HashMap<Key, Thread>>,
    /// The threads in the session's log, as they were when it was read.
    stored: Mutex<BTreeMap<ThreadKey, SavedSession>>,
}

struct Thread {
    session: Session,
    /// The part of it that was in the log when it was opened.
    begun: Option<PartSnapshot>,
}

/// The reason why there is no thread.
pub enum NoThread {
    /// The owner has too many threads.
    TooMany,
    /// Its stored form cannot be read.
    Unreadable(SavedSessionError),
}

/// Who chose a thread. A model can never reach a thread that code chose, whatever name it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Chosen {
    /// The code of a tool.
    ByCode,
    /// A model, by a name.
    ByModel,
}

impl Chosen {
    /// The maximum number of threads of an owner.
    pub const fn most(self) -> usize {
        match self {
            Self::ByCode => 1024,
            Self::ByModel => 64,
        }
    }
}

/// The owner of threads. Other owners cannot reach them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The calling agent.
    pub caller: Box<str>,
    /// The tool that has the thread.
    pub tool: Box<str>,
    /// The user.
    pub user: Option<Arc<str>>,
    /// Who chose it.
    pub chosen: Chosen,
}

/// The agent of a thread. The thread keeps it alive, so no other agent gets its address.
type Agent = Arc<dyn Any + Send + Sync>;

struct Key {
    agent: Agent,
    owner: Owner,
    name: Box<str>,
}

impl Threads {
    /// Finds or creates the thread with this name. A thread of the session's log begins with what is stored.
    ///
    /// # Errors
    /// Returns an error if the owner has too many threads, or if the stored thread cannot be read.
    pub fn open(
        &self,
        agent: &Agent,
        owner: Owner,
        name: &str,
        begin: impl FnOnce() -> Session,
    ) -> Result<Session, NoThread> {
        let key = owner.key(name);
        let stored = lock(&self.stored);
        let mut threads = lock(&self.open);
        let opened: Vec<_> = threads
            .keys()
            .filter(|key| is_same(&key.agent, agent) && key.owner == owner)
            .map(|key| owner.key(&key.name))
            .collect();
        let closed = stored.keys().filter(|key| owner.key(&key.name) == **key && !opened.contains(key));
        let is_full = opened.len() + closed.count() >= owner.chosen.most() && !stored.contains_key(&key);
        match threads.entry(Key { agent: Arc::clone(agent), owner, name: name.into() }) {
            Entry::Occupied(there) => Ok(there.get().session.clone()),
            Entry::Vacant(_) if is_full => Err(NoThread::TooMany),
            Entry::Vacant(place) => {
                let session = begin();
                let begun = match stored.get(&key) {
                    Some(stored) => {
                        session.restore(stored.clone()).map_err(NoThread::Unreadable)?;
                        Some(PartSnapshot::all(&session))
                    }
                    None => None,
                };
                Ok(place.insert(Thread { session, begun }).session.clone())
            }
        }
    }
}

impl Owner {
    /// The stored form of the key of a thread.
    fn key(&self, name: &str) -> ThreadKey {
        ThreadKey {
            caller: self.caller.clone(),
            tool: self.tool.clone(),
            user: self.user.clone(),
            by_model: self.chosen == Chosen::ByModel,
            name: name.into(),
        }
    }
}

impl Threads {
    /// All threads.
    pub(super) fn all(&self) -> Vec<Session> {
        lock(&self.open).values().map(|thread| thread.session.clone()).collect()
    }

    /// All open threads with their keys in a log, and the parts of them that were there when they were opened.
    pub(super) fn with_keys(&self) -> Vec<(ThreadKey, Session, Option<PartSnapshot>)> {
        let open = lock(&self.open);
        let mut threads: Vec<_> = open
            .iter()
            .map(|(key, thread)| (key.owner.key(&key.name), thread.session.clone(), thread.begun.clone()))
            .collect();
        threads.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        threads
    }

    /// Closes all threads, and replaces the stored ones.
    pub(super) fn replace(&self, threads: BTreeMap<ThreadKey, SavedSession>) {
        *lock(&self.stored) = threads;
        lock(&self.open).clear();
    }

    /// Removes all other threads.
    pub(super) fn retain(&self, sessions: &[Session]) {
        lock(&self.open).retain(|_, thread| sessions.iter().any(|session| session.is(&thread.session)));
    }
}

fn is_same(one: &Agent, other: &Agent) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other))
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        is_same(&self.agent, &other.agent) && self.owner == other.owner && self.name == other.name
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.agent).addr(), &self.owner, &self.name).hash(state);
    }
}
