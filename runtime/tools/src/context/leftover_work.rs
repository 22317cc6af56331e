//! The state of a call's work after its caller was dropped.

use super::ToolContext;

/// The state of work on a thread after its call was dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Left {
    /// No work is left.
    #[default]
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
        self.data(|data| {
            data.left = left;
            data.runs_on |= left == Left::Running;
        });
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Whether work of any attempt still runs without a caller.
    pub fn runs_on(&self) -> bool {
        self.data_if_any(|data| data.runs_on).unwrap_or(false)
    }

    /// The state of the last attempt's work.
    pub fn left(&self) -> Left {
        self.data_if_any(|data| data.left).unwrap_or_default()
    }
}
