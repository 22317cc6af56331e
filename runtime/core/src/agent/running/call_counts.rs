//! The calls of a run that are in progress, and those that wait for answers in a later run.

use onionskin_definitions::on_drop::OnDrop;
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the calls of a run. The calls of a turn count as one.
#[derive(Default)]
pub(super) struct CallCounts {
    busy: AtomicU32,
    waiting: AtomicU32,
}

impl CallCounts {
    /// Counts calls as in progress until the value is dropped.
    pub(super) fn begin(&self) -> OnDrop<impl FnMut() + '_> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        OnDrop(|| {
            self.busy.fetch_sub(1, Ordering::Relaxed);
        })
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
