//! `RunError` says why a run failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use onionskin_definitions::error::{Abort, redact_error, write_with_causes};
use onionskin_definitions::secret::{Redact, Redactor};
use onionskin_definitions::text::short;
use onionskin_tools::context::{AbortCause, FailedHook, RunContext, ScriptFault, StateError};
use onionskin_tools::journal::JournalError;
use onionskin_tools::model::{ModelError, StopReason};
use onionskin_tools::question::{AnswerError, AskError, Paused};
use onionskin_tools::services::ServiceType;
use onionskin_tools::session::{NoTurn, Session};

use crate::agent::limits::Limit;
use crate::message_hook::Participant;
use crate::prompt::PromptPart;
use crate::run_hook::{InputCheckError, OutputCheckError};

use super::build_error::{BuildError, ServerError};
use super::misuse::MisuseError;

/// The reason why a run has no answer.
///
/// `Debug` is the text too, with the texts of its sources, so an error that `main` returns can be read.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The model gave no answer, after the repetitions that [`Limits`](crate::agent::Limits) allow. A fault in a script
    /// ([`ModelError::Script`]) of an agent below also ends the run with this error; `agent` is the one whose script it
    /// is.
    #[error("the agent `{agent}` got no answer from its model: {source}")]
    #[non_exhaustive]
    Model {
        /// The agent.
        agent: Arc<str>,
        /// The model's error.
        source: ModelError,
    },
    /// A hook or a tool aborted the run ([`Exit::abort`](crate::Exit::abort)), or a hook panicked.
    #[error("the run was aborted: {}", .0.reason())]
    Aborted(Abort),
    /// Calls wait for answers of a person, and all other calls of the turn have ended. The value continues the run:
    /// [`AgentHandle::resume`](crate::AgentHandle::resume).
    #[error("{0}: resume it with `AgentHandle::resume`")]
    Paused(Paused),
    /// The request resumes a run with an answer that does not fit it. Nothing ran, and no answer was recorded.
    #[error("the agent `{agent}` was not run: {source}")]
    #[non_exhaustive]
    Answer {
        /// The agent.
        agent: Arc<str>,
        /// The mistake.
        source: AnswerError,
    },
    /// The journal failed, or a step has a record that the run cannot continue with. The error names the step.
    #[error("the run of `{agent}` was ended: {source}")]
    #[non_exhaustive]
    Journal {
        /// The agent.
        agent: Arc<str>,
        /// The error of the journal.
        source: JournalError,
    },
    /// The run reached a limit.
    #[error("the agent `{agent}` reached its limit of {limit}")]
    #[non_exhaustive]
    Limit {
        /// The agent.
        agent: Arc<str>,
        /// The limit.
        limit: Limit,
    },
    /// The nesting of agents is deeper than [`Limits::depth`](crate::agent::Limits::depth): as children, as tools, or through
    /// their handles in tools and hooks.
    #[error(
        "the agent `{agent}` was not run: agents may be nested {most} deep (`limits: {{ depth: .. }}`): {chain}"
    )]
    #[non_exhaustive]
    Depth {
        /// The agent.
        agent: Arc<str>,
        /// The maximum depth.
        most: u32,
        /// The nested agents, from the outermost inwards.
        chain: Arc<str>,
    },
    /// A tool asked the model to try again in more turns than [`Limits::max_retries`](crate::agent::Limits::max_retries).
    #[error("the tool `{tool}` asked for another try {times} times; its last message: {message}")]
    #[non_exhaustive]
    Retries {
        /// The tool.
        tool: Arc<str>,
        /// The number of turns in which it asked.
        times: u32,
        /// The tool's last message.
        message: String,
    },
    /// The answer does not fit the type that it has to have ([`RunRequest::run_as`](crate::agent::RunRequest::run_as)), after the times
    /// that [`Limits::output_retries`](crate::agent::Limits::output_retries) allows to ask again. An answer that a tool, a run hook or
    /// a hand-written loop gives is not asked for again.
    #[error(
        "the agent `{agent}` gave no answer of the type `{output}`: {answers} did not fit (`limits: {{ output_retries: .. }}`), the last one \
         because of:\n- {problems}"
    )]
    #[non_exhaustive]
    WrongAnswer {
        /// The agent.
        agent: Arc<str>,
        /// The name of the type.
        output: Arc<str>,
        /// The number of answers that did not fit.
        answers: u32,
        /// The problems of the last one, one on each line.
        problems: String,
    },
    /// The model's answer is not whole, or not an answer to what was asked: it reached the token limit, was filtered, or is a refusal. It is
    /// an error and not a result, so that no program, parent or workflow takes half an answer for a whole one. The model is not asked
    /// again, also not for an answer of a type, and no call of the answer ran. A hand-written loop that calls
    /// [`ask`](crate::run::AgentRun::ask) gets the answer and decides.
    #[error("the agent `{agent}` has no whole answer: {stop}{}", next_step(*.stop, .text))]
    #[non_exhaustive]
    Unfinished {
        /// The agent.
        agent: Arc<str>,
        /// Why the model stopped.
        stop: StopReason,
        /// The text of the answer: its beginning, or the refusal. It may be empty.
        text: String,
    },
    /// The run was cancelled: by the token of [`RunRequest::cancellation`](crate::agent::RunRequest::cancellation), or with
    /// the run above it.
    #[error("the run of `{agent}` was cancelled")]
    #[non_exhaustive]
    Cancelled {
        /// The agent.
        agent: Arc<str>,
    },
    /// Another run used the session for as long as this run could wait.
    #[error(
        "the agent `{agent}` could not begin within {limit:?}: another run used its session; a session runs one run at a time"
    )]
    #[non_exhaustive]
    Busy {
        /// The agent.
        agent: Arc<str>,
        /// The id of the session.
        session: Arc<str>,
        /// The time limit that was reached.
        limit: Duration,
    },
    /// Another run with the same [`run_id`](crate::agent::RunRequest::run_id) is in progress. Two concurrent runs would share
    /// idempotency keys.
    #[error(
        "the agent `{agent}` was not run: another run with the id `{run_id}` is in progress; wait for its end to replay it, or \
         give the new run another id"
    )]
    #[non_exhaustive]
    RunIdInUse {
        /// The agent.
        agent: Arc<str>,
        /// The id.
        run_id: Arc<str>,
    },
    /// The run would wait for itself, because it was started from a run of the same session.
    #[error(
        "the agent `{agent}` cannot continue a session that waits for this call: run it in another session"
    )]
    #[non_exhaustive]
    WaitsForItself {
        /// The agent.
        agent: Arc<str>,
        /// The id of the session.
        session: Arc<str>,
    },
    /// The session belongs to another agent, and lacks a state that this agent or one of its children needs.
    #[error(
        "the session holds no `{state}`, the state of the agent `{agent}`, because another agent made the session: make it with \
         `AgentHandle::session` of the agent that uses it"
    )]
    #[non_exhaustive]
    NoState {
        /// The agent that needs the state.
        agent: Arc<str>,
        /// The type of the state.
        state: &'static str,
    },
    /// The request lacks a service that each request has to provide
    /// ([`AgentBuilder::provide_per_request`](crate::agent::AgentBuilder::provide_per_request)).
    #[error(
        "{part} of the agent `{agent}` takes the service `{}`, which the request lacks: call `{}` of the request",
        .service.name(),
        .service.call()
    )]
    #[non_exhaustive]
    NoService {
        /// The agent of the run, or an agent below it.
        agent: Arc<str>,
        /// The tool or the hook, such as ``the tool `pay` ``.
        part: Arc<str>,
        /// The type of the service.
        service: ServiceType,
    },
    /// The request provides a service, and nothing of the agent or its children takes it.
    #[error(
        "the request provides the service `{}`, but no tool, hook or guardrail of the agent `{agent}` or its children takes it; \
         they take: {taken}. Remove the call, or correct the type",
        .service.name()
    )]
    #[non_exhaustive]
    UnusedService {
        /// The agent.
        agent: Arc<str>,
        /// The type of the service.
        service: ServiceType,
        /// The types that they take.
        taken: String,
    },
    /// The app has no agent of this name.
    #[error("the app has no agent `{name}`; it has: {known}")]
    #[non_exhaustive]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents of the app.
        known: String,
    },
    /// The input is empty, or the app was begun without one and has no message to begin with. Providers refuse an empty message.
    #[error(
        "the agent `{agent}` got no input: call `run` with a text or another content, or give the app an initial message"
    )]
    #[non_exhaustive]
    NoInput {
        /// The agent.
        agent: Arc<str>,
    },
    /// A hand-written agent failed or panicked, a server panicked when it listed its tools, a state panicked when it was
    /// copied, or
    /// [`AgentBuilder::run_blocking`](crate::agent::AgentBuilder::run_blocking) got no thread; `reason` says which.
    #[error("the agent `{agent}` failed: {reason}")]
    #[non_exhaustive]
    Agent {
        /// The agent.
        agent: Arc<str>,
        /// The reason.
        reason: String,
    },
    /// A server has no tools for the run ([`ToolProvider::for_run`](crate::servers::ToolProvider::for_run)): it returned an
    /// error or panicked. The run ended before its first turn.
    #[error("the run of `{agent}` did not begin: the server `{server}` has no tools for it: {source}")]
    #[non_exhaustive]
    ServerTools {
        /// The agent.
        agent: Arc<str>,
        /// The server.
        server: Arc<str>,
        /// The error of the server.
        source: ServerError,
    },
    /// A tool has no definition for the run ([`spec::for_each_run`](crate::spec::for_each_run)): the
    /// function returned an error or another name, or panicked.
    #[error("the run of `{agent}` was ended: the tool `{tool}` has no definition for it: {source}")]
    #[non_exhaustive]
    ToolDefinition {
        /// The agent.
        agent: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// The error of the function.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A run hook refused the input, before any model or tool ran.
    #[error("the run hook `{hook}` refused the input of the agent `{agent}`: {source}")]
    #[non_exhaustive]
    InputCheck {
        /// The agent.
        agent: Arc<str>,
        /// The hook.
        hook: &'static str,
        /// The refusal.
        source: InputCheckError,
    },
    /// A run hook refused the answer.
    #[error("the run hook `{hook}` refused the answer of the agent `{agent}`: {source}")]
    #[non_exhaustive]
    OutputCheck {
        /// The agent.
        agent: Arc<str>,
        /// The hook.
        hook: &'static str,
        /// The refusal.
        source: OutputCheckError,
    },
    /// A run hook failed or panicked, and [`RunHook::IGNORE_ERRORS`](crate::run_hooks::RunHook::IGNORE_ERRORS) is not set.
    #[error("the run hook `{hook}` of the agent `{agent}` failed: {source}")]
    #[non_exhaustive]
    RunHook {
        /// The agent.
        agent: Arc<str>,
        /// The hook.
        hook: &'static str,
        /// The error of the hook.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A part of the system prompt has no text in this turn: its source returned an error or panicked, or a field of the state in
    /// its text is not there.
    #[error("the run of `{agent}` was ended: the part `{part}` of its system prompt failed: {source}")]
    #[non_exhaustive]
    Prompt {
        /// The agent.
        agent: Arc<str>,
        /// The part.
        part: PromptPart,
        /// The error of the source.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The prompt of the request has a part that cannot be in it, so the run did not begin.
    #[error(transparent)]
    WrongPrompt(Arc<BuildError>),
    /// A turn hook failed or panicked.
    #[error("the turn hook `{hook}` of the agent `{agent}` failed in `{place}`: {source}")]
    #[non_exhaustive]
    TurnHook {
        /// The agent.
        agent: Arc<str>,
        /// The hook.
        hook: &'static str,
        /// The method of [`TurnHook`](crate::turn_hooks::TurnHook).
        place: &'static str,
        /// The error of the hook.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A message hook failed or panicked.
    #[error("the message hook `{hook}` of the agent `{agent}` failed in `{place}`: {source}")]
    #[non_exhaustive]
    MessageHook {
        /// The agent.
        agent: Arc<str>,
        /// The hook.
        hook: &'static str,
        /// The method of [`MessageHook`](crate::message_hooks::MessageHook).
        place: &'static str,
        /// The error of the hook.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A message hook dropped the input or the answer of the run.
    #[error(
        "a message hook of the agent `{agent}` dropped the message from `{sender}` to `{recipient}`, so the run has no answer; to go on, \
         let the hook replace the text"
    )]
    #[non_exhaustive]
    MessageDropped {
        /// The agent that has the hook.
        agent: Arc<str>,
        /// The sender of the message.
        sender: Participant,
        /// The recipient of the message.
        recipient: Participant,
    },
    /// A tool or a hook asked a person, and its run has no answerer, or one that left the question open, and cannot pause. It is a mistake
    /// in the program, so the model does not get it: it ends this run and those above it. The session's history says only that a question
    /// could not be asked.
    #[error("in the agent `{agent}`: {source}")]
    #[non_exhaustive]
    CannotAsk {
        /// The agent whose call asked.
        agent: Arc<str>,
        /// The error that the tool or the hook got: [`AskError::NoAnswerer`].
        source: AskError,
    },
    /// A hand-written agent used its run in a way that would harm the conversation. Nothing was done.
    #[error("the agent `{agent}` made a mistake with its run: {source}")]
    #[non_exhaustive]
    Misuse {
        /// The agent.
        agent: Arc<str>,
        /// The mistake.
        source: MisuseError,
    },
    /// A hand-written agent asked for a state that it does not have.
    #[error(transparent)]
    WrongState(#[from] StateError),
    /// The agent could not be built.
    #[error(transparent)]
    Build(Arc<BuildError>),
}

/// What to do about an answer that is not whole, and what it says.
fn next_step(stop: StopReason, text: &str) -> String {
    let advice = if stop == StopReason::Length {
        ": allow more tokens (`max_tokens` of the request parameters), ask for less, or shorten the conversation if it fills the \
         model's context window"
    } else {
        ""
    };
    let text = text.trim();
    if text.is_empty() { advice.to_owned() } else { format!("{advice}. It says: {}", short(text, 300)) }
}

impl fmt::Debug for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_with_causes(self, f)
    }
}

impl From<BuildError> for RunError {
    fn from(error: BuildError) -> Self {
        Self::Build(Arc::new(error))
    }
}

impl From<FailedHook> for RunError {
    fn from(FailedHook { agent, hook, place, source }: FailedHook) -> Self {
        Self::MessageHook { agent, hook, place, source }
    }
}

impl RunError {
    /// The error of a hand-written agent that failed for its own reason.
    ///
    /// ```
    /// use onionskin::RunError;
    ///
    /// let error = RunError::agent("Desk", "the shop is closed");
    /// assert_eq!(error.to_string(), "the agent `Desk` failed: the shop is closed");
    /// ```
    pub fn agent(agent: impl Into<Arc<str>>, reason: impl Into<String>) -> Self {
        Self::Agent { agent: agent.into(), reason: reason.into() }
    }

    /// The error of a run that was aborted; `None` for any other run.
    pub(in crate::agent) fn from_abort(run: &RunContext) -> Option<Self> {
        let abort = run.aborted()?;
        Some(match run.abort_cause().cloned() {
            Some(AbortCause::Script(ScriptFault { agent, error })) => Self::Model { agent, source: error },
            Some(AbortCause::Journal(source)) => Self::Journal { agent: run.agent().name().into(), source },
            Some(AbortCause::MessageHook(failed)) => failed.into(),
            Some(AbortCause::CannotAsk(agent, source)) => Self::CannotAsk { agent, source },
            None => Self::Aborted(abort.clone()),
        })
    }

    /// The fault in a script that is this error; `None` for any other error.
    pub(in crate::agent) fn script_fault(&self) -> Option<ScriptFault> {
        match self {
            Self::Model { agent, source: error @ ModelError::Script(_) } => {
                Some(ScriptFault { agent: Arc::clone(agent), error: error.clone() })
            }
            _ => None,
        }
    }

    /// The abort with which this error ends the call that began the run; `None` for an error that a parent can handle.
    pub(in crate::agent) fn as_abort(&self) -> Option<Abort> {
        match self {
            Self::Aborted(abort) => Some(abort.clone()),
            Self::Journal { source, .. } => Some(Abort::new(source.to_string())),
            Self::CannotAsk { agent, source } => {
                Some(AbortCause::CannotAsk(Arc::clone(agent), source.clone()).abort())
            }
            error => error.script_fault().map(|_| Abort::new(error.to_string())),
        }
    }

    /// The error of a run that did not get its turn in a session.
    pub(in crate::agent) fn from_no_turn(no_turn: NoTurn, agent: &Arc<str>, session: &Session) -> Self {
        let (agent, session) = (Arc::clone(agent), Arc::clone(session.shared_id()));
        match no_turn {
            NoTurn::Cancelled => Self::Cancelled { agent },
            NoTurn::Busy(limit) => Self::Busy { agent, session, limit },
            NoTurn::WaitsForItself => Self::WaitsForItself { agent, session },
        }
    }
}

impl Redact for RunError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Model { source, .. } => source.redact(redactor),
            Self::Aborted(abort) => abort.redact(redactor),
            Self::Journal { source, .. } => source.redact(redactor),
            Self::Paused(paused) => paused.redact(redactor),
            Self::Answer { source, .. } => source.redact(redactor),
            Self::ServerTools { source, .. } => source.redact(redactor),
            Self::ToolDefinition { source, .. }
            | Self::RunHook { source, .. }
            | Self::TurnHook { source, .. }
            | Self::MessageHook { source, .. }
            | Self::Prompt { source, .. } => {
                redact_error(source, redactor);
            }
            Self::InputCheck { source, .. } => source.redact(redactor),
            Self::OutputCheck { source, .. } => source.redact(redactor),
            Self::Misuse { source, .. } => source.redact(redactor),
            Self::Retries { message: text, .. }
            | Self::WrongAnswer { problems: text, .. }
            | Self::Unfinished { text, .. }
            | Self::Agent { reason: text, .. } => text.redact(redactor),
            Self::Limit { .. }
            | Self::Depth { .. }
            | Self::Cancelled { .. }
            | Self::MessageDropped { .. }
            | Self::Busy { .. }
            | Self::RunIdInUse { .. }
            | Self::WaitsForItself { .. }
            | Self::NoState { .. }
            | Self::NoService { .. }
            | Self::UnusedService { .. }
            | Self::UnknownAgent { .. }
            | Self::NoInput { .. }
            | Self::CannotAsk { .. }
            | Self::WrongState(_)
            | Self::WrongPrompt(_)
            | Self::Build(_) => {}
        }
    }
}
