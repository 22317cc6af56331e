//! Errors of answers and of questions.

use std::sync::Arc;
use std::time::Duration;

use crate::journal::JournalError;
use onionskin_definitions::secret::{Redact, Redactor};

/// The reason why a run cannot be resumed with an answer. Nothing ran, and no answer was recorded.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The run has no such question.
    #[error("the run `{run_id}` has no open question `{key}`; its open questions are: {open}")]
    #[non_exhaustive]
    Unknown {
        /// The id of the run.
        run_id: Arc<str>,
        /// The key of the answered question.
        key: String,
        /// The keys of the open questions.
        open: String,
    },
    /// The question belongs to another run.
    #[error("the question `{key}` does not belong to the run `{run_id}`: resume the run that asked it")]
    #[non_exhaustive]
    OtherRun {
        /// The id of the run.
        run_id: Arc<str>,
        /// The key of the answered question.
        key: String,
    },
    /// One request answers the question twice.
    #[error("the question `{key}` has two answers: give it one")]
    #[non_exhaustive]
    Twice {
        /// The key of the question.
        key: String,
    },
    /// The question has another recorded answer already. Repeating the same answer is allowed. Resume the run
    /// with its latest [`Paused`](super::Paused) value.
    #[error("the question `{key}` already has another answer: remove this one")]
    #[non_exhaustive]
    Late {
        /// The key of the question.
        key: String,
    },
    /// The answer is of another kind than the question.
    #[error("the question needs {expected}, not {found}")]
    #[non_exhaustive]
    WrongKind {
        /// The key of the question.
        key: String,
        /// The expected kind of answer.
        expected: &'static str,
        /// The kind of answer that it got.
        found: &'static str,
    },
    /// The value does not fit the schema of the answer.
    #[error("the answer does not fit the question: {problems}")]
    #[non_exhaustive]
    Invalid {
        /// The key of the question.
        key: String,
        /// The mistakes.
        problems: String,
    },
    /// The line is neither yes nor no ([`Dialogue::read`](super::Dialogue::read)).
    #[error("write y, a or n")]
    NotYesOrNo,
    /// The line may approve a call that the person has seen only a part of
    /// ([`Dialogue::read`](super::Dialogue::read)).
    #[error("a part of the call is not shown: write s to see all of it, or n")]
    NotSeen,
    /// The paused run belongs to another agent.
    #[error(
        "the run `{run_id}` belongs to the agent `{paused}`, not to `{agent}`: resume it with the agent that paused"
    )]
    #[non_exhaustive]
    OtherAgent {
        /// The id of the run.
        run_id: Arc<str>,
        /// The agent that paused.
        paused: Arc<str>,
        /// The agent that should resume it.
        agent: Arc<str>,
    },
    /// The request sets another id for the paused run.
    #[error(
        "the paused run has the id `{run_id}`, and the request gives it the id `{requested}`: remove `run_id`, because a resumed run keeps its id"
    )]
    #[non_exhaustive]
    OtherId {
        /// The id of the run.
        run_id: Arc<str>,
        /// The id of the request.
        requested: Arc<str>,
    },
    /// The request has answers but resumes no run.
    #[error(
        "the question `{key}` was answered in a request that resumes no run: make it with `AgentHandle::resume`"
    )]
    #[non_exhaustive]
    NotPaused {
        /// The key of the question.
        key: String,
    },
    /// The steps of the run are in a journal, but the agent has none.
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
    /// The paused value was resumed before in this process, and a tool ran, which would run again.
    #[error(
        "the run `{run_id}` was resumed with this value before, and its tools ran: resume it with its latest value. For runs that can be \
         repeated after a failure, build the agent with `.journal(..)`"
    )]
    #[non_exhaustive]
    Used {
        /// The id of the run.
        run_id: Arc<str>,
    },
    /// The run started in a session of the program, but is resumed without one.
    #[error(
        "the run `{run_id}` began in a session of the program, and is resumed without one: give it the session, or the saved one, with \
         `.session(..)`"
    )]
    #[non_exhaustive]
    NoSession {
        /// The id of the run.
        run_id: Arc<str>,
    },
    /// The journal failed while looking an earlier answer up.
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

/// The reason why a question of a tool or a hook has no answer.
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
    /// There is no answerer, or it left the question open, and the call cannot be paused. The run of the call
    /// ends with `RunError::CannotAsk`.
    #[error("`{tool}` cannot ask: {reason}")]
    #[non_exhaustive]
    NoAnswerer {
        /// The tool.
        tool: Arc<str>,
        /// Why the call cannot be paused, and what to do.
        reason: &'static str,
    },
    /// The call has ended, for example at the tool's `timeout`, while its function goes on on a thread.
    #[error(
        "`{tool}` cannot ask: its call has ended, for example at its `timeout`, and nothing waits for the answer"
    )]
    #[non_exhaustive]
    CallEnded {
        /// The tool.
        tool: Arc<str>,
    },
    /// The answerer gave no usable answer.
    #[error("the question of `{tool}` has no answer: {reason}")]
    #[non_exhaustive]
    Answerer {
        /// The tool.
        tool: Arc<str>,
        /// What happened, or why the answer does not fit.
        reason: String,
    },
    /// The answerer did not answer within the tool's limit.
    #[error("the question of `{tool}` has no answer after {limit:?}")]
    #[non_exhaustive]
    TimedOut {
        /// The tool.
        tool: Arc<str>,
        /// The limit.
        limit: Duration,
    },
    /// The tool shows no component. The run of the call ends with `RunError::CannotAsk`.
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
    /// The schema that the tool passed is invalid.
    #[error("the schema of the answer that `{tool}` asks for is wrong: {problem}")]
    #[non_exhaustive]
    Schema {
        /// The tool.
        tool: Arc<str>,
        /// The mistake, and its place.
        problem: String,
    },
    /// The payload of the tool's component cannot be serialised to JSON.
    #[error("the payload of `{tool}` cannot be serialised: {reason}")]
    #[non_exhaustive]
    Payload {
        /// The tool.
        tool: Arc<str>,
        /// The serde error.
        reason: String,
    },
    /// The answer fits the schema of the type, but the type cannot be deserialised from it.
    #[error("the answer cannot be read as `{type_name}`: {reason}")]
    #[non_exhaustive]
    Unreadable {
        /// The name of the type.
        type_name: &'static str,
        /// The serde error.
        reason: String,
    },
}
