//! The ids of runs in progress, for requests that set one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::lock::lock;

/// The address of what the agents that share the ids share, and the id.
type Key = (usize, Arc<str>);

static GOING_ON: Mutex<BTreeSet<Key>> = Mutex::new(BTreeSet::new());

/// A run in progress with a given id. While it exists, no other run with this id begins, because both would share
/// idempotency keys and steps.
pub(super) struct NamedRun(Key);

impl NamedRun {
    /// Registers a run; `None` if a run with this id is in progress. The agents of one [`App`](super::App) share the
    /// ids.
    pub(super) fn begin(id: &Arc<str>, shared: &Arc<impl Sized>) -> Option<Self> {
        let of = Arc::as_ptr(shared).addr();
        let key = (of, Arc::clone(id));
        let is_new = going_on().insert(key.clone());
        // Created only for a new id, because its drop frees the id.
        is_new.then(|| Self(key))
    }
}

impl Drop for NamedRun {
    fn drop(&mut self) {
        going_on().remove(&self.0);
    }
}

fn going_on() -> MutexGuard<'static, BTreeSet<Key>> {
    lock(&GOING_ON)
}
