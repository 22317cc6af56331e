//! What a call leaves behind when its caller does not wait for it any more.

use std::sync::atomic::Ordering;

use super::ToolContext;
use crate::error::Abort;

/// What became of work on a thread when its call was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Left {
    /// Nothing is left.
    Nothing,
    /// It had not begun and never will.
    NotBegun,
    /// It had begun and goes on.
    Running,
}

impl ToolContext {
    /// Aborts the run. Which call did it is told.
    #[cold]
    pub(crate) fn abort(&self, abort: &Abort) {
        self.rare().aborted.store(true, Ordering::Relaxed);
        self.run().abort(abort);
    }

    pub(crate) fn has_aborted(&self) -> bool {
        self.rarely().is_some_and(|rare| rare.aborted.load(Ordering::Relaxed))
    }

    /// Begins an attempt, which has left nothing yet.
    pub(crate) fn left_nothing(&self) {
        self.leave(Left::Nothing);
    }

    /// Notes what became of work that nobody waits for any more.
    pub(crate) fn leave(&self, left: Left) {
        let rare = self.rare();
        rare.left.store(left as u8, Ordering::Relaxed);
        rare.runs_on.fetch_or(left == Left::Running, Ordering::Relaxed);
    }

    /// Whether work of any attempt goes on that nobody waits for.
    pub(crate) fn runs_on(&self) -> bool {
        self.rarely().is_some_and(|rare| rare.runs_on.load(Ordering::Relaxed))
    }

    /// What the last attempt left.
    pub(crate) fn left(&self) -> Left {
        match self.rarely().map_or(0, |rare| rare.left.load(Ordering::Relaxed)) {
            1 => Left::NotBegun,
            2 => Left::Running,
            _ => Left::Nothing,
        }
    }

    /// Says that what is inside of the caller holds the `timeout`, and not what is outside.
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
