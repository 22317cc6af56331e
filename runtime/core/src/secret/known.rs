//! The secrets of a session.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::redactor::{Redactor, id};

/// The secrets that a session and its runs know. Without secrets it costs one call of [`Self::any`].
#[derive(Default)]
pub(crate) struct Concealed {
    any: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Clone, Default)]
struct Known {
    redactor: Option<Arc<Redactor>>,
    /// The secrets that were added, to find the new ones among those of a state at every change.
    added: HashSet<u64>,
}

impl Concealed {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// The redactor for these secrets; `None` without secrets.
    pub(crate) fn redactor(&self) -> Option<Arc<Redactor>> {
        if self.any() { self.lock().redactor.clone() } else { None }
    }

    /// Adds secrets.
    pub(crate) fn add(&self, secrets: &[Vec<u8>]) {
        let mut known = self.lock();
        let secrets = secrets.iter().map(Vec::as_slice);
        let new: Vec<_> = secrets.filter(|secret| known.added.insert(id(secret))).collect();
        if !new.is_empty() {
            let redactor = known.redactor.as_deref().cloned().unwrap_or_default();
            self.set(&mut known, redactor.and(new));
        }
    }

    /// Removes secrets.
    pub(crate) fn forget(&self, secrets: &[Vec<u8>]) {
        let mut known = self.lock();
        let ids: HashSet<u64> = secrets.iter().map(|secret| id(secret)).collect();
        known.added.retain(|id| !ids.contains(id));
        if let Some(redactor) = known.redactor.as_deref().cloned() {
            self.set(&mut known, redactor.without(&ids));
        }
    }

    /// Adds the secrets of another one.
    pub(crate) fn learn(&self, other: &Self) {
        let Some(more) = other.redactor() else { return };
        let mut known = self.lock();
        match known.redactor.as_deref().cloned() {
            Some(own) => self.set(&mut known, own.with(&more)),
            None => self.set(&mut known, (*more).clone()),
        }
    }

    fn set(&self, known: &mut Known, redactor: Redactor) {
        self.any.store(!redactor.is_empty(), Ordering::Release);
        known.redactor = Some(Arc::new(redactor)).filter(|redactor| !redactor.is_empty());
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Concealed {
    fn clone(&self) -> Self {
        let known = self.lock().clone();
        Self { any: AtomicBool::new(known.redactor.is_some()), known: Mutex::new(known) }
    }
}
