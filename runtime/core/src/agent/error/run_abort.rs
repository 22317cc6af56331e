//! Which error a run that ended early has, and which abort its error becomes in the run above it.

use std::sync::Arc;

use onionskin_definitions::error::Abort;
use onionskin_tools::context::{AbortCause, RunContext, ScriptFault};
use onionskin_tools::model::ModelError;
use onionskin_tools::session::{NoTurn, NotBegun, Session};

use super::run_error::RunError;

impl RunError {
    /// The error of a run that was aborted; `None` for any other run.
    pub(in crate::agent) fn from_abort(run: &RunContext) -> Option<Self> {
        let abort = run.aborted()?;
        Some(match run.abort_cause().cloned() {
            Some(AbortCause::Script(ScriptFault { agent, error })) => Self::Model { agent, source: error },
            Some(AbortCause::Journal(source)) => Self::Journal { agent: run.agent().name().into(), source },
            Some(AbortCause::Session(source)) => Self::Session { agent: run.agent().name().into(), source },
            Some(AbortCause::Budget(source)) => Self::Budget { agent: run.agent().name().into(), source },
            Some(AbortCause::MessageHook(failed)) => failed.into(),
            Some(AbortCause::CannotAsk(agent, source)) => Self::CannotAsk { agent, source },
            None => Self::Aborted(abort.clone()),
        })
    }

    /// The mistake in a script that caused this error; `None` for any other error.
    pub(in crate::agent) fn script_fault(&self) -> Option<ScriptFault> {
        let Self::Model { agent, source: error @ ModelError::Script(_) } = self else { return None };
        Some(ScriptFault { agent: Arc::clone(agent), error: error.clone() })
    }

    /// The abort with which this error ends the call that began the run; `None` for an error that a parent can handle.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a parent can handle every other error")]
    pub(in crate::agent) fn as_abort(&self) -> Option<Abort> {
        match self {
            Self::Aborted(abort) => Some(abort.clone()),
            Self::Journal { source, .. } => Some(Abort::new(source.to_string())),
            Self::Session { source, .. } => Some(Abort::new(source.to_string())),
            Self::Budget { source, .. } => Some(Abort::new(source.to_string())),
            Self::CannotAsk { agent, source } => {
                Some(AbortCause::CannotAsk(Arc::clone(agent), source.clone()).abort())
            }
            error => error.script_fault().map(|_| Abort::new(error.to_string())),
        }
    }

    /// The error of a run that did not begin in its stored session.
    pub(in crate::agent) fn from_not_begun(problem: NotBegun, agent: &Arc<str>, session: &Session) -> Self {
        match problem {
            NotBegun::NoTurn(no_turn) => Self::from_no_turn(no_turn, agent, session),
            NotBegun::Session(source) => Self::Session { agent: Arc::clone(agent), source },
            NotBegun::Answer(source) => Self::Answer { agent: Arc::clone(agent), source },
        }
    }

    /// The error of a run that got no turn in its session.
    pub(in crate::agent) fn from_no_turn(no_turn: NoTurn, agent: &Arc<str>, session: &Session) -> Self {
        let (agent, session) = (Arc::clone(agent), Arc::clone(session.shared_id()));
        match no_turn {
            NoTurn::Cancelled => Self::Cancelled { agent },
            NoTurn::Busy(limit) => Self::Busy { agent, session, limit },
            NoTurn::WaitsForItself => Self::WaitsForItself { agent, session },
        }
    }
}
