//! Threads: the conversations with agent tools.

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

use super::Session;
use onionskin_definitions::lock::lock;

/// The threads of one session.
#[derive(Default)]
pub struct Threads(Mutex<HashMap<Key, Session>>);

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
    /// Finds or creates the thread with this name; `None` if the owner has too many threads.
    pub fn open(
        &self,
        agent: &Agent,
        owner: Owner,
        name: &str,
        begin: impl FnOnce() -> Session,
    ) -> Option<Session> {
        let mut threads = lock(&self.0);
        let begun = threads.keys().filter(|key| is_same(&key.agent, agent) && key.owner == owner).count();
        let is_full = begun >= owner.chosen.most();
        match threads.entry(Key { agent: Arc::clone(agent), owner, name: name.into() }) {
            Entry::Occupied(there) => Some(there.get().clone()),
            Entry::Vacant(_) if is_full => None,
            Entry::Vacant(place) => Some(place.insert(begin()).clone()),
        }
    }
}

impl Threads {
    /// All threads.
    pub(super) fn all(&self) -> Vec<Session> {
        lock(&self.0).values().cloned().collect()
    }

    /// Removes all other threads.
    pub(super) fn retain(&self, sessions: &[Session]) {
        lock(&self.0).retain(|_, thread| sessions.iter().any(|session| session.is(thread)));
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
