//! The slots that the calls around the current code hold.

use std::iter::successors;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::lock::lock;

tokio::task_local! {
    static HELD: Held;
}

/// The held slots, the innermost first. A run polls its calls in its own task, so the task knows them.
#[derive(Clone, Default)]
pub(crate) struct Held(Option<Arc<Slot>>);

pub(super) struct Slot {
    /// The table of the slot.
    id: usize,
    key: Arc<str>,
    outer: Held,
    /// The slot of this call; `None` while it is lent.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    /// One call inside of it at a time has the slot, in the order in which they came.
    inside: Arc<Semaphore>,
}

impl Held {
    pub(crate) fn here() -> Self {
        HELD.try_with(Self::clone).unwrap_or_default()
    }

    fn slots(&self) -> impl Iterator<Item = &Arc<Slot>> {
        successors(self.0.as_ref(), |slot| slot.outer.0.as_ref())
    }

    /// The innermost slot of a key, for the calls inside of the call that holds it.
    pub(super) fn find(&self, id: usize, key: &str) -> Option<Arc<Semaphore>> {
        let slot = self.slots().find(|slot| slot.id == id && *slot.key == *key)?;
        Some(Arc::clone(&slot.inside))
    }

    pub(super) fn with(self, id: usize, key: Arc<str>, permit: OwnedSemaphorePermit) -> Self {
        let inside = Arc::new(Semaphore::new(1));
        Self(Some(Arc::new(Slot { id, key, outer: self, permit: Mutex::new(Some(permit)), inside })))
    }

    /// Runs the work of the call that holds them.
    pub(super) async fn around<T>(self, work: impl Future<Output = T>) -> T {
        HELD.scope(self, work).await
    }

    /// Waits for another call, which can need one of the slots. Afterwards they are held again.
    pub(crate) async fn lend<T>(&self, wait: impl Future<Output = T>) -> T {
        let mut lent = Vec::new();
        for slot in self.slots() {
            if let Some(permit) = lock(&slot.permit).take() {
                lent.push((slot, Arc::clone(permit.semaphore())));
            }
        }
        let done = wait.await;
        // The outermost first, as at the beginning.
        for (slot, semaphore) in lent.into_iter().rev() {
            let permit = semaphore.acquire_owned().await.ok();
            *lock(&slot.permit) = permit;
        }
        done
    }
}
