//! The calls of a run that are in progress, and those that wait for answers in a later run.

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the calls of a run. The calls of a turn count as one.
#[derive(Default)]
pub(super) struct CallCounts {
    busy: AtomicU32,
    waiting: AtomicU32,
}

/// Calls in progress.
pub(super) struct Busy<'r>(&'r CallCounts);

impl CallCounts {
    pub(super) fn begin(&self) -> Busy<'_> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(self)
    }

    /// Counts calls that wait for answers.
    pub(super) fn note_waiting(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether calls wait for answers.
    pub(super) fn any_waits(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Whether calls wait for answers and no other call is in progress.
    pub(super) fn only_waits(&self) -> bool {
        self.any_waits() && self.busy.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}
