//! The secrets that a session knows.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::needles::Needles;

/// The secrets that a session and its runs know. While there are none it costs a look at [`Self::any`].
#[derive(Default)]
pub(crate) struct Concealed {
    any: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Clone, Default)]
struct Known {
    needles: Option<Arc<Needles>>,
    /// Hashes of the secrets that were added, so that what a state holds is told apart from what is new at every change of it.
    added: HashSet<u64>,
    hasher: RandomState,
}

impl Concealed {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// What to look for; none if there are no secrets.
    pub(crate) fn needles(&self) -> Option<Arc<Needles>> {
        if self.any() { self.lock().needles.clone() } else { None }
    }

    /// Looks for these from now on.
    pub(crate) fn add(&self, secrets: &[Vec<u8>]) {
        let mut known = self.lock();
        let Known { needles, added, hasher } = &mut *known;
        let is_looked_for = |secret: &[u8]| needles.as_ref().is_some_and(|needles| needles.has(secret));
        let new: Vec<_> = secrets
            .iter()
            .map(Vec::as_slice)
            .filter(|secret| added.insert(hasher.hash_one(secret)) && !is_looked_for(secret))
            .collect();
        if new.is_empty() {
            return;
        }
        let more = match needles {
            Some(needles) => needles.and(new),
            None => Needles::new([]).and(new),
        };
        if !more.is_empty() {
            *needles = Some(Arc::new(more));
            self.any.store(true, Ordering::Release);
        }
    }

    /// Looks for what the other one looks for, from now on.
    pub(crate) fn learn(&self, other: &Self) {
        let Some(more) = other.needles() else { return };
        let needles = &mut self.lock().needles;
        match needles {
            Some(own) if own.has_all(&more) => return,
            Some(own) => *needles = Some(Arc::new(own.with(&more))),
            None => *needles = Some(more),
        }
        self.any.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Concealed {
    fn clone(&self) -> Self {
        let known = self.lock().clone();
        Self { any: AtomicBool::new(known.needles.is_some()), known: Mutex::new(known) }
    }
}
