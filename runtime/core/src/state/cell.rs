//! The program's own state behind its type id.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use crate::lock::lock;
use crate::secret::StateVisitor;

/// A state as `Any`.
pub(crate) type StateHandle = Arc<dyn Any + Send + Sync>;

/// Holds the newest snapshot. No lock is held across an await.
pub(crate) struct StateCell<S> {
    newest: Mutex<Arc<S>>,
    /// Held while an update runs, so that updates are sequential. Readers do not wait.
    updating: Mutex<()>,
    /// The thread of the running update.
    updater: Mutex<Option<ThreadId>>,
    /// Lists the secrets of a state; `None` if the type has none.
    visitor: Option<StateVisitor>,
}

impl<S: Send + Sync + 'static> StateCell<S> {
    pub(crate) fn handle(state: S, visitor: Option<StateVisitor>) -> StateHandle {
        Arc::new(Self {
            newest: Mutex::new(Arc::new(state)),
            updating: Mutex::default(),
            updater: Mutex::default(),
            visitor,
        })
    }

    /// A handle, and the secrets of the state.
    pub(crate) fn with_secrets(state: S, visitor: Option<StateVisitor>) -> (StateHandle, Vec<Vec<u8>>) {
        let secrets = StateVisitor::listed(visitor, &state);
        (Self::handle(state, visitor), secrets)
    }

    /// The secrets of a state of this type.
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

    /// Waits for the right to update.
    pub(crate) fn begin_update(&self) -> Update<'_> {
        let this = Some(thread::current().id());
        // Only this thread writes its own id, so the answer cannot change meanwhile.
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

impl<S: Clone + Send + Sync + 'static> StateCell<S> {
    /// As [`Self::with_secrets`], for a state that no agent declares.
    pub(crate) fn undeclared(state: S) -> (StateHandle, Vec<Vec<u8>>) {
        Self::with_secrets(state, Some(StateVisitor::by_copy::<S>()))
    }

    /// A new cell with a copy of the newest snapshot behind a handle.
    pub(crate) fn fork(handle: &StateHandle) -> Option<StateHandle> {
        let cell = Arc::clone(handle).downcast::<Self>().ok()?;
        Some(Self::handle(S::clone(&cell.snapshot()), cell.visitor))
    }

    /// The newest snapshot behind a handle.
    pub(crate) fn newest(handle: &StateHandle) -> Option<Arc<S>> {
        let cell = Arc::clone(handle).downcast::<Self>().ok()?;
        Some(cell.snapshot())
    }
}

/// A running update. Dropping it, also by a panic, starts the next one.
pub(crate) struct Update<'c> {
    updater: &'c Mutex<Option<ThreadId>>,
    _updating: MutexGuard<'c, ()>,
}

impl Drop for Update<'_> {
    fn drop(&mut self) {
        *lock(self.updater) = None;
    }
}
