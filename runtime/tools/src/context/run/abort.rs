//! Aborts: the latch that no hook can undo once it is set, its causes, and the cancellation of a call.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::RunContext;
use crate::budget::BudgetError;
use crate::context::ToolContext;
use crate::journal::JournalError;
use crate::model::ModelError;
use crate::question::AskError;
use crate::session::SessionError;
use onionskin_definitions::error::{Abort, redact_error};
use onionskin_definitions::secret::{Redact, Redactor};

/// Set by the first abort of a run. It cancels the run and its child runs.
#[derive(Default)]
pub(crate) struct Latch {
    end: OnceLock<(Abort, Option<AbortCause>)>,
    token: CancellationToken,
}

/// The cause of an abort, if the run's error contains more than the text of the abort.
#[derive(Debug, Clone)]
pub enum AbortCause {
    /// The script of a test's model does not fit the run.
    Script(ScriptFault),
    /// The journal failed.
    Journal(JournalError),
    /// The store of the session failed.
    Session(SessionError),
    /// The budgets cannot be used.
    Budget(BudgetError),
    /// A hook on a message to a child agent failed. It ends the run of the agent that has the hook, not the
    /// parent runs.
    MessageHook(FailedHook),
    /// A tool or a hook of this agent asked a question that nobody can answer: a mistake in the program.
    CannotAsk(Arc<str>, AskError),
}

/// What the model reads about a question that nobody can answer.
const CANNOT_ASK: &str = "a question could not be asked";

impl AbortCause {
    /// The abort, as the call results in the session's history report it. The run's error contains more.
    pub fn abort(&self) -> Abort {
        match self {
            Self::CannotAsk(..) => Abort::new(CANNOT_ASK),
            Self::Script(_)
            | Self::Journal(_)
            | Self::Session(_)
            | Self::Budget(_)
            | Self::MessageHook(_) => Abort::new(self.to_string()),
        }
    }
}

impl fmt::Display for AbortCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(fault) => fault.error.fmt(f),
            Self::Journal(error) => error.fmt(f),
            Self::Session(error) => error.fmt(f),
            Self::Budget(error) => error.fmt(f),
            Self::MessageHook(failed) => failed.fmt(f),
            Self::CannotAsk(_, error) => error.fmt(f),
        }
    }
}

impl Redact for AbortCause {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Script(fault) => fault.error.redact(redactor),
            Self::Journal(error) => error.redact(redactor),
            Self::Budget(error) => error.redact(redactor),
            Self::MessageHook(failed) => failed.redact(redactor),
            // They contain the name of the tool, and no content of the session.
            Self::CannotAsk(..) | Self::Session(_) => {}
        }
    }
}

/// A fault in the script of an agent's model: a mistake in a test. It ends the run and all its parent runs,
/// so that no other script can hide it.
#[derive(Debug, Clone)]
pub struct ScriptFault {
    /// The agent whose script it is.
    pub agent: Arc<str>,
    /// The fault.
    pub error: ModelError,
}

impl Latch {
    /// A latch that cancels `token` when it is set.
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self { end: OnceLock::new(), token }
    }

    /// Sets the latch, and the flag that says so. The first abort is kept, with its cause.
    pub(crate) fn set(&self, abort: Abort, cause: Option<AbortCause>, is_set: &AtomicBool) {
        let _ = self.end.set((abort, cause));
        is_set.store(true, Ordering::Release);
        self.token.cancel();
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Abort> {
        self.end.get().map(|(abort, _)| abort)
    }

    /// The cause of the abort, if there is one.
    pub(crate) fn cause(&self) -> Option<&AbortCause> {
        self.end.get().and_then(|(_, cause)| cause.as_ref())
    }

    /// The token that an abort or the run's cancellation cancels.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}

/// The failure of a message hook. It ends the run of the agent that has the hook.
#[derive(Debug, Clone)]
pub struct FailedHook {
    /// The agent that has the hook.
    pub agent: Arc<str>,
    /// The name of the hook.
    pub hook: Arc<str>,
    /// The place where it ran.
    pub place: &'static str,
    /// Its error.
    pub source: Arc<dyn Error + Send + Sync>,
}

impl fmt::Display for FailedHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent, hook, place, source } = self;
        write!(f, "the message hook `{hook}` of the agent `{agent}` failed in `{place}`: {source}")
    }
}

impl Redact for FailedHook {
    fn redact(&mut self, redactor: &Redactor) {
        redact_error(&mut self.source, redactor);
    }
}

impl RunContext {
    /// Sets the abort latch of this run and all its parent runs.
    pub(crate) fn abort(&self, abort: &Abort) {
        self.end(abort.clone(), None);
    }

    /// Ends this run for this cause. Its parent runs continue.
    pub(crate) fn end_for(&self, mut cause: AbortCause) {
        if let Some(redactor) = self.concealed().redactor() {
            cause.redact(&redactor);
        }
        self.0.latch.set(Abort::new(cause.to_string()), Some(cause), &self.0.is_aborted);
    }

    fn end(&self, mut abort: Abort, mut cause: Option<AbortCause>) {
        if let Some(redactor) = self.concealed().redactor() {
            abort.redact(&redactor);
            if let Some(cause) = &mut cause {
                cause.redact(&redactor);
            }
        }
        let mut run = Some(self);
        while let Some(this) = run {
            this.0.latch.set(abort.clone(), cause.clone(), &this.0.is_aborted);
            run = this.parent();
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// Aborts this run and all its parent runs for this cause.
    pub fn abort_for(&self, cause: AbortCause) {
        self.end(cause.abort(), Some(cause));
    }

    #[inline]
    pub fn aborted(&self) -> Option<&Abort> {
        if self.0.is_aborted.load(Ordering::Acquire) { self.latched_abort() } else { None }
    }

    #[cold]
    #[inline(never)]
    fn latched_abort(&self) -> Option<&Abort> {
        self.0.latch.get()
    }

    /// The cause of the abort, if the run's error contains more than its text.
    pub fn abort_cause(&self) -> Option<&AbortCause> {
        self.0.latch.cause()
    }
}

impl ToolContext {
    /// A token that is cancelled when the run is aborted, or when this call ends or is dropped. Pass it to
    /// tasks that you spawn. In a `blocking` tool the token belongs to the attempt: it is cancelled as soon
    /// as the attempt's caller is gone, for example after a timeout.
    pub fn cancellation(&self) -> CancellationToken {
        self.extra()
            .token
            .get_or_init(|| CallToken { token: self.run.cancellation().child_token(), owner: true })
            .token
            .clone()
    }

    /// Aborts the run, and records that this call aborted it.
    #[cold]
    pub(crate) fn abort(&self, abort: &Abort) {
        self.data(|data| data.aborted = true);
        self.run().abort(abort);
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Aborts the run for this cause, and records that this call aborted it.
    #[cold]
    pub fn abort_for(&self, cause: AbortCause) {
        self.data(|data| data.aborted = true);
        self.run().abort_for(cause);
    }

    pub fn has_aborted(&self) -> bool {
        self.data_if_any(|data| data.aborted).unwrap_or(false)
    }
}

/// The call's cancellation token. The context that created it cancels it when the call ends.
pub(in crate::context) struct CallToken {
    pub(in crate::context) token: CancellationToken,
    pub(in crate::context) owner: bool,
}

impl Drop for CallToken {
    fn drop(&mut self) {
        if self.owner {
            self.token.cancel();
        }
    }
}
