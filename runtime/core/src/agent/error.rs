//! Why an agent could not be built, and why a run has no answer.

use std::sync::Arc;
use std::time::Duration;

use super::servers::ServerError;
use crate::context::NameClash;
use crate::definition::{ExampleError, NameProblem};
use crate::error::Abort;
use crate::model::ModelError;
use crate::secret::{Redact, Redactor};
use crate::session::{NoTurn, Session};

/// Why an agent could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No model was given.
    #[error("the agent `{agent}` has no model: give it one with `.model(..)`")]
    NoModel {
        /// The agent.
        agent: String,
    },
    /// The agent names a model, and there is none that could be asked by that name.
    #[error(
        "the agent `{agent}` names the model `{model}`: enable feature `genai` of onionskin, or give the agent a model with \
         `.model(..)`"
    )]
    NamedModel {
        /// The agent.
        agent: String,
        /// The model's name.
        model: String,
    },
    /// Several things are wrong.
    #[error("{} things are wrong:{}", .0.len(), items(.0))]
    Several(Vec<Self>),
    /// A bound is zero, so that nothing could run.
    #[error("the agent `{agent}` has `{setting}` 0: {advice}")]
    Zero {
        /// The agent.
        agent: String,
        /// What is zero.
        setting: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A bound of a tool is zero, so that no call could end well.
    #[error("the tool `{tool}` of the agent `{agent}` has `{setting}` 0: leave it out for no limit")]
    ZeroOfTool {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// What is zero.
        setting: &'static str,
    },
    /// The agent declares a state and was given none of its type.
    #[error("the agent `{agent}` declares `state: {state}` and was given none: call `.state(..)` with one")]
    NoState {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
    },
    /// The agent uses a toolbox and was given none.
    #[error("the agent `{agent}` uses the toolbox `{toolbox}` and was given none: call `{call}` with one")]
    NoToolbox {
        /// The agent.
        agent: String,
        /// The toolbox's type.
        toolbox: &'static str,
        /// What to call on the builder.
        call: String,
    },
    /// A state was given that no agent declares.
    #[error(
        "`.state(..)` was called with a `{state}`, which no agent declares as its state; declared are: {declared}. Leave it \
         out, or correct its type"
    )]
    UnusedState {
        /// The type of the state.
        state: &'static str,
        /// The types that agents declare.
        declared: String,
    },
    /// A toolbox was given that no agent declares.
    #[error("`{call}` was called with the toolbox `{toolbox}`, which no agent declares so{advice}")]
    UnusedToolbox {
        /// The toolbox's type.
        toolbox: &'static str,
        /// What was called on the builder.
        call: String,
        /// What to do.
        advice: String,
    },
    /// A server was given that no agent uses.
    #[error("`.server(\"{server}\", ..)` configures a server that no agent uses{near}; used are: {used}")]
    UnusedServer {
        /// The server.
        server: String,
        /// The nearest name, as a question.
        near: String,
        /// The servers that agents use.
        used: String,
    },
    /// Something was given to an agent by a name that none has.
    #[error("something was given to the agent `{name}`, which there is not{near} There are: {known}")]
    NoAgent {
        /// The name.
        name: String,
        /// The nearest name, as a question.
        near: String,
        /// The agents that there are, children included.
        known: String,
    },
    /// A hook that was given to an agent by name works on another state.
    #[error(
        "the hook `{hook}` takes `{takes}` and was given to the agent `{agent}`, whose state is `{state}`"
    )]
    HookState {
        /// The agent.
        agent: String,
        /// The hook's type.
        hook: &'static str,
        /// What it takes.
        takes: &'static str,
        /// The type of the agent's state.
        state: &'static str,
    },
    /// A tool that was given as a value works on another state.
    #[error(
        "the tool `{tool}` takes `State<{takes}>` and was given to the agent `{agent}`, whose state is `{state}`: give it to an \
         agent with `state: {takes}`, or bind what it needs with `ToolSpec::bind`"
    )]
    ToolState {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// The type that it takes.
        takes: &'static str,
        /// The type of the agent's state.
        state: &'static str,
    },
    /// The agent begins its children with messages and none of them was given any.
    #[error(
        "the agent `{agent}` declares `history_source: messages` and none of its children has messages: call \
         `.messages_for(\"{child}\", ..)`"
    )]
    NoMessages {
        /// The agent.
        agent: String,
        /// Its first child.
        child: String,
    },
    /// Messages were given to a child that does not begin with them.
    #[error(
        "the agent `{agent}` was given messages and begins with none: write `history_source: messages` in an agent that \
         calls it"
    )]
    UnusedMessages {
        /// The agent.
        agent: String,
    },
    /// An example of a tool does not fit its schema.
    #[error("the agent `{agent}` cannot show its tool: {source}")]
    Example {
        /// The agent.
        agent: String,
        /// What is wrong.
        source: ExampleError,
    },
    /// A tool's schema or the default of one of its parameters panicked.
    #[error("the schema of the tool `{tool}` of the agent `{agent}` panicked: {reason}")]
    ToolPanicked {
        /// The agent.
        agent: String,
        /// The tool.
        tool: &'static str,
        /// The words of the panic.
        reason: String,
    },
    /// Providers refuse the name of a tool.
    #[error("the tool `{tool}` of the agent `{agent}` cannot be called so: {problem}")]
    ToolName {
        /// The agent.
        agent: String,
        /// The tool, with the prefix of its toolbox.
        tool: String,
        /// The fault of the name.
        problem: NameProblem,
    },
    /// A tool by hand has one name in its type, and another in its definition.
    #[error(
        "the tool `{tool}` of the agent `{agent}` says in its definition that it is called `{defined}`: write \
         `ToolDefinition::new(Self::NAME, ..)`"
    )]
    TwoNames {
        /// The agent.
        agent: String,
        /// Its `NAME`.
        tool: &'static str,
        /// The name in its definition.
        defined: String,
    },
    /// What an agent declares panicked: the configuration of a hook, for example.
    #[error(
        "what the agent `{agent}` declares panicked when it was made, as the configuration of its hooks: {reason}"
    )]
    DeclarationPanicked {
        /// The agent.
        agent: String,
        /// The words of the panic.
        reason: String,
    },
    /// Two tools have the same name.
    #[error(transparent)]
    NameClash(#[from] NameClash),
    /// The filter of a hook names a tool that the agent does not have.
    #[error(
        "the filter of the hook `{hook}` names the tool `{tool}`, which the agent `{agent}` does not have{near}"
    )]
    FilterNamesNoTool {
        /// The agent.
        agent: String,
        /// The hook.
        hook: &'static str,
        /// The tool, as the filter names it.
        tool: &'static str,
        /// A tool of the agent with a similar name, as part of the sentence.
        near: String,
    },
    /// An agent contains itself.
    #[error("the agent `{agent}` contains itself: {path}")]
    Cycle {
        /// The agent.
        agent: String,
        /// From the outermost agent inwards.
        path: String,
    },
    /// A server is not configured.
    #[error(
        "the agent `{agent}` uses the server `{server}`, which is not configured; configured are: {known}. Add it \
         to `.mcp.json` or call `.server(\"{server}\", ..)`"
    )]
    UnknownServer {
        /// The agent.
        agent: String,
        /// The server.
        server: String,
        /// The configured servers.
        known: String,
    },
    /// A server did not start, or does not offer what the agent asks of it.
    #[error(transparent)]
    Server(ServerError),
    /// An app has no agent to start with.
    #[error("the app has no entry: write `default: true` in one of its agents ({agents})")]
    NoEntry {
        /// Its agents.
        agents: String,
    },
    /// An app has several agents to start with.
    #[error("several agents of the app say `default: true`: {agents}; only one can be the entry")]
    SeveralEntries {
        /// Those agents.
        agents: String,
    },
    /// Two agents have the same name, so that it does not say which one is meant.
    #[error("two agents are called `{name}`: give one of them another name")]
    TwoAgents {
        /// The name.
        name: String,
    },
}

/// Each on a line of its own.
fn items(errors: &[BuildError]) -> String {
    errors.iter().fold(String::new(), |mut all, error| {
        all.push_str("\n- ");
        all.push_str(&error.to_string());
        all
    })
}

/// A bound of a run that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Limit {
    /// Model turns.
    #[error("{0} model turns")]
    Turns(u32),
    /// Tool calls.
    #[error("{0} tool calls")]
    ToolCalls(u32),
    /// Tokens.
    #[error("{0} tokens")]
    Tokens(u64),
    /// Time.
    #[error("{0:?}")]
    Time(Duration),
}

/// Why a run has no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The model failed.
    #[error("the agent `{agent}` got no answer from its model: {source}")]
    Model {
        /// The agent.
        agent: Arc<str>,
        /// Why.
        source: ModelError,
    },
    /// A hook, a tool or the journal aborted the run.
    #[error("the run was aborted: {}", .0.reason())]
    Aborted(Abort),
    /// A bound was reached.
    #[error("the agent `{agent}` reached its limit of {limit}")]
    Limit {
        /// The agent.
        agent: Arc<str>,
        /// The bound.
        limit: Limit,
    },
    /// Agents called each other too deep: as children, as tools, or by their handles from tools and hooks.
    #[error(
        "the agent `{agent}` was not asked: so many agents are inside each other already, and {most} may be \
         (`limits: {{ depth: .. }}`): {chain}"
    )]
    Depth {
        /// The agent.
        agent: Arc<str>,
        /// How deep it may be.
        most: u32,
        /// The agents, from the outermost one inwards.
        chain: Arc<str>,
    },
    /// A tool asked the model to try again too often.
    #[error("the tool `{tool}` asked for another try {times} times; the last time: {message}")]
    Retries {
        /// The tool.
        tool: Arc<str>,
        /// How often.
        times: u32,
        /// What it said last.
        message: String,
    },
    /// The run was cancelled from outside.
    #[error("the run of `{agent}` was cancelled")]
    Cancelled {
        /// The agent.
        agent: Arc<str>,
    },
    /// Another run went on in the session for as long as this one could wait.
    #[error(
        "the agent `{agent}` could not begin within {limit:?}: its conversation was busy, and what goes on in one goes \
         on one after the other"
    )]
    Busy {
        /// The agent.
        agent: Arc<str>,
        /// The id of the session.
        session: Arc<str>,
        /// The time limit that was reached.
        limit: Duration,
    },
    /// A run with the same [`run_id`](super::RunRequest::run_id) goes on: two at once would have each other's idempotency keys.
    #[error(
        "the agent `{agent}` was not asked: a run with the id `{run_id}` goes on; wait for its end to replay it, or give the \
         new run another id"
    )]
    RunIdInUse {
        /// The agent.
        agent: Arc<str>,
        /// The id.
        run_id: Arc<str>,
    },
    /// The run would wait for its own end: it was begun from within a run of its own session.
    #[error(
        "the agent `{agent}` cannot go on in a conversation that waits for this call: ask it in another session"
    )]
    WaitsForItself {
        /// The agent.
        agent: Arc<str>,
        /// The id of the session.
        session: Arc<str>,
    },
    /// The session, which another agent made, lacks a state that the agent or a child of it needs.
    #[error(
        "the session holds no `{state}`, which is the state of the agent `{agent}`: another agent made it; make one with \
         `AgentHandle::session` of the agent that is to go on in it"
    )]
    NoState {
        /// The agent that has the state.
        agent: Arc<str>,
        /// The type of the state.
        state: &'static str,
    },
    /// The app has no such agent.
    #[error("the app has no agent `{name}`; it has: {known}")]
    UnknownAgent {
        /// The name.
        name: String,
        /// The agents of the app.
        known: String,
    },
    /// An agent that was written by hand failed.
    #[error("the agent `{agent}` failed: {reason}")]
    Agent {
        /// The agent.
        agent: Arc<str>,
        /// Why.
        reason: String,
    },
    /// The agent could not be built.
    #[error("{0}")]
    Build(Arc<BuildError>),
}

impl From<BuildError> for RunError {
    fn from(error: BuildError) -> Self {
        Self::Build(Arc::new(error))
    }
}

impl RunError {
    /// Why a run of an agent did not get its turn in a session.
    pub(super) fn of_turn(no_turn: NoTurn, agent: &Arc<str>, session: &Session) -> Self {
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
            Self::Retries { message: text, .. } | Self::Agent { reason: text, .. } => text.redact(redactor),
            Self::Limit { .. }
            | Self::Depth { .. }
            | Self::Cancelled { .. }
            | Self::Busy { .. }
            | Self::RunIdInUse { .. }
            | Self::WaitsForItself { .. }
            | Self::NoState { .. }
            | Self::UnknownAgent { .. }
            | Self::Build(_) => {}
        }
    }
}
