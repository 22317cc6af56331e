//! The secrets that a session knows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::needles::Needles;

/// The secrets that a session and its runs know. While there are none it costs a look at [`Self::any`].
#[derive(Default)]
pub(crate) struct Concealed {
    any: AtomicBool,
    needles: Mutex<Option<Arc<Needles>>>,
}

impl Concealed {
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// What to look for; none if there are no secrets.
    pub(crate) fn needles(&self) -> Option<Arc<Needles>> {
        if self.any() { self.lock().clone() } else { None }
    }

    /// Looks for these from now on.
    pub(crate) fn add(&self, secrets: &[Vec<u8>]) {
        let mut needles = self.lock();
        let known = |secret: &&[u8]| needles.as_ref().is_some_and(|needles| needles.has(secret));
        let new: Vec<_> = secrets.iter().map(Vec::as_slice).filter(|secret| !known(secret)).collect();
        if new.is_empty() {
            return;
        }
        let more = match &*needles {
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
        let mut needles = self.lock();
        match &*needles {
            Some(own) if own.has_all(&more) => return,
            Some(own) => *needles = Some(Arc::new(own.with(&more))),
            None => *needles = Some(more),
        }
        self.any.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Needles>>> {
        self.needles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Concealed {
    fn clone(&self) -> Self {
        let needles = self.lock().clone();
        Self { any: AtomicBool::new(needles.is_some()), needles: Mutex::new(needles) }
    }
}
