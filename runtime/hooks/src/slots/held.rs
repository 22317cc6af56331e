//! The slots that the calls around the current code hold.

use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

tokio::task_local! {
    static HELD: Held;
}

/// The held slots, the innermost first. A run polls its calls in its own task, so the task knows them.
#[derive(Clone, Default)]
pub(super) struct Held(Option<Arc<Slot>>);

pub(super) struct Slot {
    /// The table of the slot.
    id: usize,
    key: Arc<str>,
    outer: Held,
    /// One call inside of it at a time has the slot, in the order in which they came.
    inside: Mutex<()>,
}

impl Held {
    pub(super) fn here() -> Self {
        HELD.try_with(Self::clone).unwrap_or_default()
    }

    /// The innermost slot of a key.
    pub(super) fn find(&self, id: usize, key: &str) -> Option<Arc<Slot>> {
        let mut at = self;
        while let Some(slot) = &at.0 {
            if slot.id == id && *slot.key == *key {
                return Some(Arc::clone(slot));
            }
            at = &slot.outer;
        }
        None
    }

    pub(super) fn with(self, id: usize, key: Arc<str>) -> Self {
        Self(Some(Arc::new(Slot { id, key, outer: self, inside: Mutex::default() })))
    }

    /// Runs the work of the call that holds them.
    pub(super) async fn around<T>(self, work: impl Future<Output = T>) -> T {
        HELD.scope(self, work).await
    }
}

impl Slot {
    /// Waits until no other call inside of the call that holds the slot has it.
    pub(super) async fn inside(&self) -> MutexGuard<'_, ()> {
        self.inside.lock().await
    }
}
