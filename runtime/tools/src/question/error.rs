//! Errors of answers and of questions.

use std::sync::Arc;
use std::time::Duration;

use crate::journal::JournalError;
use onionskin_definitions::secret::{Redact, Redactor};

/// An answer that a run cannot be continued with. Nothing ran, and no answer was recorded.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The run has no such question.
    #[error("the run `{run_id}` has no open question `{key}`; its open questions are: {open}")]
    #[non_exhaustive]
    Unknown {
        /// The id of the run.
        run_id: Arc<str>,
        /// The key that was answered.
        key: String,
        /// The keys of the open questions.
        open: String,
    },
    /// The question belongs to another run.
    #[error("the question `{key}` is not one of the run `{run_id}`: resume the run that asked it")]
    #[non_exhaustive]
    OtherRun {
        /// The id of the run.
        run_id: Arc<str>,
        /// The key that was answered.
        key: String,
    },
    /// One request answers the question twice.
    #[error("the question `{key}` has two answers: give it one")]
    #[non_exhaustive]
    Twice {
        /// The key of the question.
        key: String,
    },
    /// The question was answered otherwise before, and that answer is recorded. The same answer may be given again. Resume the run with the [`Paused`](super::Paused) value that
    /// it ended with last.
    #[error("the question `{key}` was answered otherwise before: leave this answer out")]
    #[non_exhaustive]
    Late {
        /// The key of the question.
        key: String,
    },
    /// The answer is of another kind than the question.
    #[error("the question needs {wanted}, and got {given}")]
    #[non_exhaustive]
    WrongKind {
        /// The key of the question.
        key: String,
        /// The kind of answer that it needs.
        wanted: &'static str,
        /// The kind that it got.
        given: &'static str,
    },
    /// The value does not fit the schema of the answer.
    #[error("the answer does not fit the question: {problems}")]
    #[non_exhaustive]
    Invalid {
        /// The key of the question.
        key: String,
        /// What does not fit.
        problems: String,
    },
    /// The line is neither yes nor no ([`Dialogue::read`](super::Dialogue::read)).
    #[error("write y, a or n")]
    NotYesOrNo,
    /// The line may approve a call of which the person has seen a part only ([`Dialogue::read`](super::Dialogue::read)).
    #[error("a part of the call is not shown: write s to see all of it, or n")]
    NotSeen,
    /// The paused run is one of another agent.
    #[error(
        "the run `{run_id}` is one of the agent `{paused}`, and not of `{agent}`: resume it with the agent that paused"
    )]
    #[non_exhaustive]
    OtherAgent {
        /// The id of the run.
        run_id: Arc<str>,
        /// The agent that paused.
        paused: Arc<str>,
        /// The agent that was asked to resume it.
        agent: Arc<str>,
    },
    /// The request gives the paused run another id.
    #[error(
        "the paused run has the id `{run_id}`, and the request gives it the id `{given}`: leave `run_id` out, a resumed run keeps its id"
    )]
    #[non_exhaustive]
    OtherId {
        /// The id of the run.
        run_id: Arc<str>,
        /// The id of the request.
        given: Arc<str>,
    },
    /// The request has answers and resumes no run.
    #[error(
        "the question `{key}` was answered in a request that resumes no run: make it with `AgentHandle::resume`"
    )]
    #[non_exhaustive]
    NotPaused {
        /// The key of the question.
        key: String,
    },
    /// The steps of the run are in a journal, and the agent has none.
    #[error(
        "the run `{run_id}` was recorded in a journal, and the agent `{agent}` has none: build it with `.journal(..)`, with the \
         journal that recorded the run"
    )]
    #[non_exhaustive]
    NoJournal {
        /// The id of the run.
        run_id: Arc<str>,
        /// The agent.
        agent: Arc<str>,
    },
    /// The value went on before, in this process, and a tool ran. What it did would be repeated.
    #[error(
        "the run `{run_id}` went on from this value before, and its tools ran: resume it with the value that it ended with then. For runs that \
         can be repeated after a failure, build the agent with `.journal(..)`"
    )]
    #[non_exhaustive]
    Used {
        /// The id of the run.
        run_id: Arc<str>,
    },
    /// The program gave the run a session, and gives none to the resumed run.
    #[error(
        "the run `{run_id}` began in a session of the program, and is resumed without one: give it the session, or the saved one, with \
         `.session(..)`"
    )]
    #[non_exhaustive]
    NoSession {
        /// The id of the run.
        run_id: Arc<str>,
    },
    /// The journal failed while it was asked whether the question was answered before.
    #[error(transparent)]
    Journal(JournalError),
}

impl Redact for AnswerError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Invalid { problems, .. } => problems.redact(redactor),
            Self::Journal(error) => error.redact(redactor),
            Self::Unknown { key, .. }
            | Self::OtherRun { key, .. }
            | Self::Twice { key }
            | Self::NotPaused { key } => {
                key.redact(redactor);
            }
            Self::Late { .. }
            | Self::NotYesOrNo
            | Self::NotSeen
            | Self::WrongKind { .. }
            | Self::OtherAgent { .. }
            | Self::OtherId { .. }
            | Self::Used { .. }
            | Self::NoSession { .. }
            | Self::NoJournal { .. } => {}
        }
    }
}

/// A question of a tool or a hook has no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The person did not answer.
    #[error("the question was declined{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    #[non_exhaustive]
    Declined {
        /// The reason, if there is one.
        reason: Option<String>,
    },
    /// There is no answerer, or it left the question open, and the call cannot be paused. The run of the call ends with
    /// `RunError::CannotAsk`.
    #[error("`{tool}` cannot ask: {reason}")]
    #[non_exhaustive]
    NoAnswerer {
        /// The tool.
        tool: Arc<str>,
        /// Why the call cannot be paused, and what to do.
        reason: &'static str,
    },
    /// The answerer was asked, and gave no answer that can be used.
    #[error("the question of `{tool}` has no answer: {reason}")]
    #[non_exhaustive]
    Answerer {
        /// The tool.
        tool: Arc<str>,
        /// What happened, or what of the answer does not fit.
        reason: String,
    },
    /// The answerer gave no answer in the time that the tool waits for it.
    #[error("the question of `{tool}` has no answer after {limit:?}")]
    #[non_exhaustive]
    TimedOut {
        /// The tool.
        tool: Arc<str>,
        /// How long it waited.
        limit: Duration,
    },
    /// The tool shows no component.
    #[error("`{tool}` shows no component: declare it with `#[ui_tool(component = \"..\")]`")]
    #[non_exhaustive]
    NoComponent {
        /// The tool.
        tool: Arc<str>,
    },
    /// The name of the workflow is empty.
    #[error(
        "`{tool}` shows its component for a workflow without a name: pass the workflow's name to `use_ui_tool`"
    )]
    #[non_exhaustive]
    NoWorkflow {
        /// The tool.
        tool: Arc<str>,
    },
    /// Answers cannot be checked against the schema that the tool made.
    #[error("the schema of the answer that `{tool}` asks for is wrong: {problem}")]
    #[non_exhaustive]
    Schema {
        /// The tool.
        tool: Arc<str>,
        /// The mistake, and its place.
        problem: String,
    },
    /// What the tool shows cannot be serialised to JSON.
    #[error("the payload of `{tool}` cannot be serialised: {reason}")]
    #[non_exhaustive]
    Payload {
        /// The tool.
        tool: Arc<str>,
        /// The error of the type.
        reason: String,
    },
    /// The answer fits the schema of the type, and the type cannot be read from it.
    #[error("the answer cannot be read as `{of}`: {reason}")]
    #[non_exhaustive]
    Unreadable {
        /// The name of the type.
        of: &'static str,
        /// The error of the type.
        reason: String,
    },
}
