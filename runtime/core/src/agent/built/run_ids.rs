//! The ids of runs in progress, for requests that set one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use onionskin_definitions::lock::lock;

/// The ids of the runs in progress, of all agents of one [`App`](crate::agent::App).
#[derive(Clone, Default)]
pub(in crate::agent) struct RunIds(Arc<Mutex<BTreeSet<Arc<str>>>>);

/// A run in progress with an id of its request. While it exists, no other run with this id begins, because
/// both would share idempotency keys and steps.
pub(in crate::agent) struct NamedRun {
    id: Arc<str>,
    ids: RunIds,
}

impl RunIds {
    /// Registers a run; `None` if a run with this id is in progress.
    pub(in crate::agent) fn begin(&self, id: &Arc<str>) -> Option<NamedRun> {
        let is_new = lock(&self.0).insert(Arc::clone(id));
        // Created only for a new id, because its drop frees the id.
        is_new.then(|| NamedRun { id: Arc::clone(id), ids: self.clone() })
    }
}

impl Drop for NamedRun {
    fn drop(&mut self) {
        lock(&self.ids.0).remove(&self.id);
    }
}
