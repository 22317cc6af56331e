//! Errors of journals.

use std::fmt;
use std::sync::Arc;

use super::Step;
use onionskin_definitions::secret::{Redact, Redactor};

/// The journal has no usable record of a step. The run ends with `RunError::Journal`.
///
/// ```
/// use onionskin::journal::{JournalError, JournalErrorKind, Step, StepKind};
/// let step = Step::new("order-7", StepKind::Model, "");
/// let error = JournalError::storage(&step, "the disk is full");
/// assert_eq!(error.kind(), JournalErrorKind::Storage);
/// assert_eq!(error.to_string(), "the journal failed at step `turn 0/model` of the run `order-7`: the disk is full");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct JournalError(Box<Parts>);

#[derive(Clone, PartialEq, Eq)]
struct Parts {
    kind: JournalErrorKind,
    run_id: Arc<str>,
    step: String,
    reason: String,
}

/// The kind of a [`JournalError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JournalErrorKind {
    /// The record could not be read or written.
    Storage,
    /// The record cannot be parsed: it was truncated or changed, or a later version wrote it.
    Corrupt,
    /// The step was recorded for another request, because the program, its input or the tools of its servers
    /// changed since; or for another run, because the journal ignores [`Step::run_id`].
    Diverged,
    /// The step changed a state that cannot be recorded, so a replay could not repeat the change.
    Unrecordable,
    /// The work of the step failed, so there is nothing to record. A journal returns this error unchanged,
    /// and the run continues with the failure.
    StepFailed,
}

impl JournalError {
    /// The record of a step could not be read or written.
    pub fn storage(step: &Step, reason: impl fmt::Display) -> Self {
        Self::new(JournalErrorKind::Storage, step, reason)
    }

    /// The record of a step cannot be parsed.
    pub fn corrupt(step: &Step, reason: impl fmt::Display) -> Self {
        Self::new(JournalErrorKind::Corrupt, step, reason)
    }

    pub(super) fn new(kind: JournalErrorKind, step: &Step, reason: impl fmt::Display) -> Self {
        let (run_id, step) = (step.run_id().into(), step.id().to_string());
        Self(Box::new(Parts { kind, run_id, step, reason: reason.to_string() }))
    }

    /// The step changed a state that cannot be recorded.
    pub(crate) fn unrecordable(step: &Step, reason: impl fmt::Display) -> Self {
        Self::new(JournalErrorKind::Unrecordable, step, reason)
    }

    /// As [`Self::unrecordable`], with the name of the step.
    pub(crate) fn unrecordable_at(run_id: &str, step: String, reason: String) -> Self {
        Self(Box::new(Parts { kind: JournalErrorKind::Unrecordable, run_id: run_id.into(), step, reason }))
    }

    /// A recorded change does not fit the state.
    pub(crate) fn diverged(step: &Step, reason: impl fmt::Display) -> Self {
        Self::new(JournalErrorKind::Diverged, step, reason)
    }

    /// The kind.
    pub fn kind(&self) -> JournalErrorKind {
        self.0.kind
    }

    /// The id of the run.
    pub fn run_id(&self) -> &str {
        &self.0.run_id
    }

    /// The name of the step: the text of its [`StepId`](super::StepId).
    pub fn step(&self) -> &str {
        &self.0.step
    }
}

impl Redact for JournalError {
    fn redact(&mut self, redactor: &Redactor) {
        self.0.reason.redact(redactor);
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { kind, run_id, step, reason } = &*self.0;
        match kind {
            JournalErrorKind::Storage => {
                write!(f, "the journal failed at step `{step}` of the run `{run_id}`: {reason}")
            }
            JournalErrorKind::Corrupt => write!(
                f,
                "the record of step `{step}` of the run `{run_id}` cannot be read: {reason}. Restore the journal, or begin a \
                 run with another id"
            ),
            JournalErrorKind::Diverged => write!(
                f,
                "step `{step}` differs from its record in the run `{run_id}`: {reason}. Replay the run with the program, the \
                 input, the history, the state and the tools of servers that it began with, or begin a run with another id"
            ),
            JournalErrorKind::Unrecordable => {
                write!(f, "step `{step}` of the run `{run_id}` cannot be replayed: {reason}")
            }
            JournalErrorKind::StepFailed => {
                write!(f, "step `{step}` of the run `{run_id}` failed, so it was not recorded")
            }
        }
    }
}

impl fmt::Debug for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { kind, run_id, step, reason } = &*self.0;
        let mut debug = f.debug_struct("JournalError");
        debug.field("kind", kind).field("run_id", run_id).field("step", step).field("reason", reason).finish()
    }
}

impl std::error::Error for JournalError {}

/// A tool with the effect `Once` did not run again, because an earlier run ended while the tool was running.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` may have taken effect already: an earlier run with the id `{run_id}` ended while the tool ran. Its effect is \
     `once`, so it was not run again. Do not call it again: a person has to find out whether it took effect. If it did not, a \
     run with another `run_id` may call it"
)]
#[non_exhaustive]
pub struct InDoubt {
    /// The tool.
    pub tool: String,
    /// The id of both runs.
    pub run_id: String,
}
