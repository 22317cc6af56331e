//! The ids of runs that go on, as far as requests named them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::assembly::Shared;

/// Where the id is used, and the id.
type Key = (usize, Arc<str>);

static GOING_ON: Mutex<BTreeSet<Key>> = Mutex::new(BTreeSet::new());

/// A run that goes on under a given id. While there is one, no other begins: both would have the idempotency keys and the
/// steps of one run.
pub(super) struct NamedRun(Key);

impl NamedRun {
    /// Begins it; none if such a run goes on. The agents of one [`App`](super::App) share the ids.
    pub(super) fn begin(id: &Arc<str>, shared: &Arc<Shared>) -> Option<Self> {
        let of = Arc::as_ptr(shared).addr();
        let key = (of, Arc::clone(id));
        let is_new = going_on().insert(key.clone());
        // Made only then: its drop would end the other one.
        is_new.then(|| Self(key))
    }
}

impl Drop for NamedRun {
    fn drop(&mut self) {
        going_on().remove(&self.0);
    }
}

fn going_on() -> MutexGuard<'static, BTreeSet<Key>> {
    GOING_ON.lock().unwrap_or_else(PoisonError::into_inner)
}
