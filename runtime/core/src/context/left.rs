//! The state of a call's work after its caller was dropped.

use std::sync::atomic::Ordering;

use super::ToolContext;
use crate::error::Abort;

/// The state of work on a thread after its call was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Left {
    /// No work is left.
    Nothing,
    /// The work did not begin and never will.
    NotBegun,
    /// The work began and still runs.
    Running,
}

impl ToolContext {
    /// Aborts the run, and records that this call did it.
    #[cold]
    pub(crate) fn abort(&self, abort: &Abort) {
        self.rare().aborted.store(true, Ordering::Relaxed);
        self.run().abort(abort);
    }

    pub(crate) fn has_aborted(&self) -> bool {
        self.rarely().is_some_and(|rare| rare.aborted.load(Ordering::Relaxed))
    }

    /// Begins an attempt, which has no work left over.
    pub(crate) fn left_nothing(&self) {
        self.leave(Left::Nothing);
    }

    /// Records the state of work that has no caller any more.
    pub(crate) fn leave(&self, left: Left) {
        let rare = self.rare();
        rare.left.store(left as u8, Ordering::Relaxed);
        rare.runs_on.fetch_or(left == Left::Running, Ordering::Relaxed);
    }

    /// Whether work of any attempt still runs without a caller.
    pub(crate) fn runs_on(&self) -> bool {
        self.rarely().is_some_and(|rare| rare.runs_on.load(Ordering::Relaxed))
    }

    /// The state of the last attempt's work.
    pub(crate) fn left(&self) -> Left {
        match self.rarely().map_or(0, |rare| rare.left.load(Ordering::Relaxed)) {
            1 => Left::NotBegun,
            2 => Left::Running,
            _ => Left::Nothing,
        }
    }

    /// Records that the `timeout` applies to a part inside the caller, and not to the caller itself.
    pub(crate) fn bound_inside(&self) {
        if self.definition().timeout.is_some() {
            self.set_bound_inside(true);
        }
    }

    pub(crate) fn set_bound_inside(&self, is_so: bool) {
        self.rare().bound_inside.store(is_so, Ordering::Relaxed);
    }

    pub(crate) fn is_bound_inside(&self) -> bool {
        self.rare().bound_inside.load(Ordering::Relaxed)
    }
}
