//! The slots of the keys that are in use.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

use super::TooManyKeysError;
use crate::lock::lock;

/// The slots of each key. A key without calls takes no memory.
pub(super) struct Slots {
    per_key: usize,
    max_keys: usize,
    lines: Mutex<HashMap<Arc<str>, InUse>>,
}

struct InUse {
    /// tokio serves waiters in their order.
    semaphore: Arc<Semaphore>,
    calls: usize,
}

/// One call of a key, waiting or running.
pub(super) struct Line<'s> {
    slots: &'s Slots,
    key: Arc<str>,
    semaphore: Arc<Semaphore>,
}

impl Slots {
    pub(super) fn new(per_key: usize, max_keys: usize) -> Self {
        Self { per_key, max_keys, lines: Mutex::default() }
    }

    pub(super) fn per_key(&self) -> usize {
        self.per_key
    }

    /// Tells tables apart that are alive.
    pub(super) fn id(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    pub(super) fn line(&self, key: &Arc<str>) -> Result<Line<'_>, TooManyKeysError> {
        let mut lines = lock(&self.lines);
        if !lines.contains_key(key) && lines.len() >= self.max_keys {
            return Err(TooManyKeysError { max_keys: self.max_keys });
        }
        let new = || InUse { semaphore: Arc::new(Semaphore::new(self.per_key)), calls: 0 };
        let in_use = lines.entry(Arc::clone(key)).or_insert_with(new);
        in_use.calls += 1;
        Ok(Line { slots: self, key: Arc::clone(key), semaphore: Arc::clone(&in_use.semaphore) })
    }
}

impl Line<'_> {
    pub(super) fn semaphore(&self) -> Arc<Semaphore> {
        Arc::clone(&self.semaphore)
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let mut lines = lock(&self.slots.lines);
        if let Some(in_use) = lines.get_mut(&self.key) {
            in_use.calls -= 1;
            if in_use.calls == 0 {
                lines.remove(&self.key);
            }
        }
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("per_key", &self.per_key)
            .field("keys", &lock(&self.lines).len())
            .finish_non_exhaustive()
    }
}
