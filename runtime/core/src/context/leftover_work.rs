//! The state of a call's work after its caller was dropped.

use std::sync::atomic::Ordering;

use super::ToolContext;

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
    /// Begins an attempt, which has no work left over.
    pub(crate) fn left_nothing(&self) {
        self.leave(Left::Nothing);
    }

    /// Records the state of work that has no caller any more.
    pub(crate) fn leave(&self, left: Left) {
        let extra = self.extra();
        extra.left.store(left as u8, Ordering::Relaxed);
        extra.runs_on.fetch_or(left == Left::Running, Ordering::Relaxed);
    }

    /// Whether work of any attempt still runs without a caller.
    pub(crate) fn runs_on(&self) -> bool {
        self.extra_if_any().is_some_and(|extra| extra.runs_on.load(Ordering::Relaxed))
    }

    /// The state of the last attempt's work.
    pub(crate) fn left(&self) -> Left {
        match self.extra_if_any().map_or(0, |extra| extra.left.load(Ordering::Relaxed)) {
            1 => Left::NotBegun,
            2 => Left::Running,
            _ => Left::Nothing,
        }
    }
}
