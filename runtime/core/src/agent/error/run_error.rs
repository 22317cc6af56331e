//! `RunError` says why a run failed.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use onionskin_definitions::error::{Abort, ToolError, write_with_causes};
use onionskin_definitions::text::short;
use onionskin_tools::budget::BudgetError;
use onionskin_tools::context::{FailedHook, StateError};
use onionskin_tools::journal::JournalError;
use onionskin_tools::model::{ModelError, StopReason};
use onionskin_tools::question::{AnswerError, AskError, Paused};
use onionskin_tools::services::ServiceType;
use onionskin_tools::session::SessionError;

use crate::agent::limits::Limit;
use crate::message_hook::Participant;
use crate::prompt::PromptPart;
use crate::run_hook::{InputCheckError, OutputCheckError};

use super::build_error::BuildError;
use super::misuse::MisuseError;
use super::server_error::ServerError;

/// The reason why a run has no answer.
///
/// `Debug` prints the message and the messages of its sources, so an error that `main` returns can be read.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The model gave no answer, after the retries that [`Limits`](crate::agent::Limits) allow. A mistake in the script
    /// ([`ModelError::Script`]) of an agent below also ends the run with this error; then `agent` is the agent below.
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
    /// Calls wait for answers from a person, and all other calls of the turn have ended. The value continues the run:
    /// [`AgentHandle::resume`](crate::AgentHandle::resume).
    #[error("{0}: resume it with `AgentHandle::resume`")]
    Paused(Paused),
    /// The request resumes a run with an invalid answer. Nothing ran, and no answer was recorded.
    #[error("the agent `{agent}` was not run: {source}")]
    #[non_exhaustive]
    Answer {
        /// The agent.
        agent: Arc<str>,
        /// The mistake.
        source: AnswerError,
    },
    /// The journal failed, or the run cannot continue with the record of a step. The error names the step.
    #[error("the run of `{agent}` was ended: {source}")]
    #[non_exhaustive]
    Journal {
        /// The agent.
        agent: Arc<str>,
        /// The error of the journal.
        source: JournalError,
    },
    /// The stored session of the run could not be read or written, or it waits for answers, or belongs to another user.
    #[error("the run of `{agent}` was ended: {source}")]
    #[non_exhaustive]
    Session {
        /// The agent.
        agent: Arc<str>,
        /// The reason.
        source: SessionError,
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
    /// The run cannot spend from its budgets: their store failed, a model has no price, or the run cannot have one of them.
    /// It ends the runs above too, because what they spend would not be counted. A budget that is used up is
    /// [`RunError::Limit`].
    #[error("the run of `{agent}` was ended: {source}")]
    #[non_exhaustive]
    Budget {
        /// The agent.
        agent: Arc<str>,
        /// The error of the budgets.
        source: BudgetError,
    },
    /// Agents are nested deeper than [`Limits::depth`](crate::agent::Limits::depth) allows: as children, as tools, or through
    /// their handles in tools and hooks.
    #[error(
        "the agent `{agent}` was not run: agents can be nested {max} deep (`limits: {{ depth: .. }}`): {chain}"
    )]
    #[non_exhaustive]
    Depth {
        /// The agent.
        agent: Arc<str>,
        /// The maximum depth.
        max: u32,
        /// The nested agents, outermost first.
        chain: Arc<str>,
    },
    /// A call by the program ([`AgentHandle::call_tool`](crate::AgentHandle::call_tool)) ended with the error of the tool or of a hook.
    #[error("the tool `{tool}` of the agent `{agent}` failed: {source}")]
    #[non_exhaustive]
    Tool {
        /// The agent that has the tool.
        agent: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// The error, with the content for a model.
        source: ToolError,
    },
    /// A tool requested a retry in more turns than [`Limits::max_retries`](crate::agent::Limits::max_retries) allows.
    #[error("the tool `{tool}` requested a retry {times} times; its last message: {message}")]
    #[non_exhaustive]
    Retries {
        /// The tool.
        tool: Arc<str>,
        /// The number of turns in which the tool requested a retry.
        times: u32,
        /// The tool's last message.
        message: String,
    },
    /// The answer does not match its type ([`RunRequest::run_as`](crate::agent::RunRequest::run_as)), after the retries that
    /// [`Limits::output_retries`](crate::agent::Limits::output_retries) allows. An answer of a tool, a run hook or a hand-written loop
    /// is not retried.
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
    /// The model's answer is incomplete or a refusal: it reached the token limit, was filtered, or the model refused to answer. This is an
    /// error, so that no program, parent or workflow uses an incomplete answer as a complete one. The model is not asked again, even if
    /// the answer has a type, and no call of the answer ran. A hand-written loop that calls [`ask`](crate::run::AgentRun::ask) gets the
    /// answer and decides.
    #[error("the agent `{agent}` has no complete answer: {stop}{}", next_step(*.stop, .text))]
    #[non_exhaustive]
    Unfinished {
        /// The agent.
        agent: Arc<str>,
        /// Why the model stopped.
        stop: StopReason,
        /// The incomplete answer, or the refusal. It can be empty.
        text: String,
    },
    /// The run was cancelled: by the token of [`RunRequest::cancellation`](crate::agent::RunRequest::cancellation), or
    /// together with the run above it.
    #[error("the run of `{agent}` was cancelled")]
    #[non_exhaustive]
    Cancelled {
        /// The agent.
        agent: Arc<str>,
    },
    /// Another run used the session until the time limit of this run.
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
        "the agent `{agent}` was not run: another run with the id `{run_id}` is in progress; wait until it ends to replay it, or \
         set another id for the new run"
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
    /// The request lacks a service that each request must provide
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
    /// The request provides a service, but nothing in the agent or its children takes it.
    #[error(
        "the request provides the service `{}`, but no tool, hook or guardrail of the agent `{agent}` or its children takes it; \
         they take: {accepted}. Remove the call, or correct the type",
        .service.name()
    )]
    #[non_exhaustive]
    UnusedService {
        /// The agent.
        agent: Arc<str>,
        /// The type of the service.
        service: ServiceType,
        /// The types of services that they take.
        accepted: String,
    },
    /// The app has no agent with this name.
    #[error("the app has no agent `{name}`; it has: {known}")]
    #[non_exhaustive]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents of the app.
        known: String,
    },
    /// The input is empty, or the app was started without an input and has no initial message. Providers refuse an empty message.
    #[error(
        "the agent `{agent}` has no input: call `run` with a text or other content, or set the initial message of the app"
    )]
    #[non_exhaustive]
    NoInput {
        /// The agent.
        agent: Arc<str>,
    },
    /// A hand-written agent failed or panicked, a server panicked when it listed its tools, a state panicked when it was copied, or
    /// [`AgentBuilder::run_blocking`](crate::agent::AgentBuilder::run_blocking) could not start a thread; see `reason`.
    #[error("the agent `{agent}` failed: {reason}")]
    #[non_exhaustive]
    Agent {
        /// The agent.
        agent: Arc<str>,
        /// The reason.
        reason: String,
    },
    /// A server has no tools for the run, because [`ToolProvider::for_run`](crate::servers::ToolProvider::for_run) returned an
    /// error or panicked. The run ended before its first turn.
    #[error("the run of `{agent}` did not start: the server `{server}` has no tools for it: {source}")]
    #[non_exhaustive]
    ServerTools {
        /// The agent.
        agent: Arc<str>,
        /// The server.
        server: Arc<str>,
        /// The error of the server.
        source: ServerError,
    },
    /// A tool has no definition for the run, because the function of [`spec::for_each_run`](crate::spec::for_each_run) returned an error
    /// or another name, or panicked.
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
    /// A part of the system prompt has no text in this turn: its source returned an error or panicked, or its text names a
    /// field that the state does not have.
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
    /// The prompt of the request has a part that it cannot have, so the run did not start.
    #[error(transparent)]
    WrongPrompt(Arc<BuildError>),
    /// A limit of the request is zero, so the run did not start.
    #[error(transparent)]
    WrongLimits(Arc<BuildError>),
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
        hook: Arc<str>,
        /// The method of [`MessageHook`](crate::message_hooks::MessageHook).
        place: &'static str,
        /// The error of the hook.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// A message hook dropped the input or the answer of the run.
    #[error(
        "a message hook of the agent `{agent}` dropped the message from `{sender}` to `{recipient}`, so the run has no answer; to continue \
         the run, let the hook replace the text"
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
    /// A tool or a hook asked a person, but its run cannot pause and has no answerer that answered, or the tool has no component to show. This is a mistake in the program, so
    /// the model does not see it: it ends this run and the runs above it. The session's history says only that a question could not
    /// be asked.
    #[error("in the agent `{agent}`: {source}")]
    #[non_exhaustive]
    CannotAsk {
        /// The agent whose call asked.
        agent: Arc<str>,
        /// The error of the tool or the hook: [`AskError::NoAnswerer`] or [`AskError::NoComponent`].
        source: AskError,
    },
    /// A hand-written agent used its run in a way that would damage the conversation. The run did nothing.
    #[error("the agent `{agent}` misused its run: {source}")]
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

/// The advice for an incomplete answer, and its text.
fn next_step(stop: StopReason, text: &str) -> String {
    let advice = if stop == StopReason::Length {
        ": allow more tokens (`max_tokens` of the request parameters), ask for a shorter answer, or shorten the conversation \
         if it fills the model's context window"
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
    /// The error of a run whose budgets do not allow a request.
    pub(in crate::agent) fn budget(agent: &Arc<str>, error: BudgetError) -> Self {
        let agent = Arc::clone(agent);
        if let BudgetError::Exceeded(exceeded) = error {
            Self::Limit { agent, limit: Limit::Budget(exceeded) }
        } else {
            Self::Budget { agent, source: error }
        }
    }

    /// The error of a hand-written agent that failed.
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
}
