//! A step of a run, for its journal.

use std::fmt;
use std::sync::Arc;

use super::{StepId, StepKind, fingerprint};
use onionskin_definitions::definition::Effect;

/// A step of a run: its position and its request.
///
/// [`Self::run_id`] and [`Self::id`] are the key of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    run_id: Arc<str>,
    session_id: Arc<str>,
    id: StepId,
    effect: Effect,
    request_hash: String,
}

impl Step {
    /// Creates a step of an outermost run before its first turn, for tests of journals.
    ///
    /// ```
    /// use onionskin::journal::{Step, StepKind};
    /// let step = Step::new("order-7", StepKind::Clock, "begin");
    /// assert_eq!(step.to_string(), "order-7: turn 0/clock begin");
    /// ```
    pub fn new(run_id: &str, kind: StepKind, name: &str) -> Self {
        Self::in_run(run_id.into(), Arc::default(), StepId::new(kind, name))
    }

    pub(crate) fn in_run(run_id: Arc<str>, session_id: Arc<str>, id: StepId) -> Self {
        Self { run_id, session_id, id, effect: Effect::Pure, request_hash: String::new() }
    }

    /// Sets the effect and the request. The hash includes the run id, so that a journal that ignores the run
    /// id does not answer one run with records of another.
    pub(crate) fn with_request(mut self, effect: Effect, request_hash: String) -> Self {
        self.effect = effect;
        self.request_hash = fingerprint(&(&*self.run_id, request_hash));
        self
    }

    /// The id of the run (`RunRequest::run_id`). Child runs share it.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The id of the run's session; empty outside a session. Sessions get new ids in each process.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The position of the step in its run.
    pub fn id(&self) -> &StepId {
        &self.id
    }

    /// Whether the step may be repeated if it is in doubt. The run checks this; a journal need not.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// A hash of the run id and the step's request, for example the model request or the tool's arguments. It
    /// is part of the record. A record with another hash ends the run with
    /// [`JournalErrorKind::Diverged`](super::JournalErrorKind::Diverged).
    pub fn request_hash(&self) -> &str {
        &self.request_hash
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.run_id, self.id)
    }
}
