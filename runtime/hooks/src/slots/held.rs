//! The slots that the calls around the current code hold.

use std::sync::Arc;

tokio::task_local! {
    static HELD: Held;
}

/// The held slots, the innermost first. A run polls its calls in its own task, so the task knows them.
#[derive(Clone, Default)]
pub(super) struct Held(Option<Arc<Slot>>);

struct Slot {
    /// The table of the slot.
    id: usize,
    key: Arc<str>,
    outer: Held,
}

impl Held {
    pub(super) fn here() -> Self {
        HELD.try_with(Self::clone).unwrap_or_default()
    }

    pub(super) fn has(&self, id: usize, key: &str) -> bool {
        let mut at = self;
        while let Some(slot) = &at.0 {
            if slot.id == id && *slot.key == *key {
                return true;
            }
            at = &slot.outer;
        }
        false
    }

    pub(super) fn with(self, id: usize, key: Arc<str>) -> Self {
        Self(Some(Arc::new(Slot { id, key, outer: self })))
    }

    /// Runs the work of the call that holds them.
    pub(super) async fn around<T>(self, work: impl Future<Output = T>) -> T {
        HELD.scope(self, work).await
    }
}
