//! `BuildError` says why an agent cannot be built.

use std::borrow::Cow;
use std::fmt;

use crate::prompt::PromptPart;
use onionskin_definitions::definition::{Effect, ExampleError, NameProblem};
use onionskin_definitions::error::{BoxError, write_with_causes};
use onionskin_tools::budget::BudgetError;
use onionskin_tools::context::NameClash;
use onionskin_tools::model::{HistoryError, ModelError};
use onionskin_tools::services::ServiceType;

use super::server_error::ServerError;

impl From<BoxError> for BuildError {
    fn from(error: BoxError) -> Self {
        Self::Server(ServerError::new(error))
    }
}

/// The reason why an agent could not be built.
///
/// `Debug` prints the message and the messages of its sources, so an error that `main` returns can be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Sessions are stored, and a typed state cannot be.
    #[error(
        "the state `{state}` cannot be stored in sessions: derive `serde::Serialize` and `serde::Deserialize` for it, and name it as \
         `state:` of an agent (an agent written by hand also calls `AgentDeclaration::record_state`), or leave it out with \
         `.unstored_state::<{state}>()`"
    )]
    #[non_exhaustive]
    UnstorableState {
        /// The type.
        state: &'static str,
    },
    /// The builder leaves out a state of stored sessions that they would not have.
    #[error("`.unstored_state::<{state}>()` has no effect, because {reason}: remove it")]
    #[non_exhaustive]
    UnusedUnstored {
        /// The type.
        state: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// The agent has no model.
    #[error("the agent `{agent}` has no model: give it one with `.model(..)`")]
    #[non_exhaustive]
    NoModel {
        /// The agent.
        agent: String,
    },
    /// The agent names a model, and no provider is configured for this name.
    #[error(
        "the agent `{agent}` names the model `{model}`: enable feature `genai` of onionskin, or give the agent a model with \
         `.model(..)`"
    )]
    #[non_exhaustive]
    NamedModel {
        /// The agent.
        agent: String,
        /// The model's name.
        model: String,
    },
    /// The agent names a model, but the builder's model asks another one.
    #[error(
        "the agent `{agent}` names the model `{named}`, but the model of `.model(..)` is `{model}`: remove one of them, or ask `{model}` \
         for all agents with `.model_for_all(..)`; `GenaiModel::from_env()` asks each agent's own model"
    )]
    #[non_exhaustive]
    OtherModel {
        /// The agent.
        agent: String,
        /// The model that it names.
        named: String,
        /// The model that would be asked.
        model: String,
    },
    /// The model of the agent cannot be asked: its key is missing, for example.
    #[error("the model of the agent `{agent}` cannot be asked: {source}")]
    #[non_exhaustive]
    Model {
        /// The agent.
        agent: String,
        /// The reason.
        source: Box<ModelError>,
    },
    /// A setting of the builder was set twice.
    #[error("{call} is called twice, and the second call would replace the first: remove one of them")]
    #[non_exhaustive]
    SetTwice {
        /// The call of the builder.
        call: String,
    },
    /// A budget of the builder limits nothing, or allows nothing.
    #[error(transparent)]
    Budget(BudgetError),
    /// Sessions are stored, but what is spent is not: a restart would give each user and session its whole budget again.
    #[error(
        "sessions are stored, and what the budget `{budget}` spends is not: call `.budget_store(..)`, with the store of the sessions if it \
         stores budgets too, or with `Arc::new(MemoryBudgets::default())` if a restart may end the budget"
    )]
    #[non_exhaustive]
    NoBudgetStore {
        /// The budget.
        budget: String,
    },
    /// An approver or an answerer was set, but nothing asks. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// allows this.
    #[error("`{call}` was called, but {reason}: {advice}, or remove the call")]
    #[non_exhaustive]
    NothingAsks {
        /// The call of the builder.
        call: &'static str,
        /// Why nothing asks.
        reason: &'static str,
        /// What to declare.
        advice: &'static str,
    },
    /// Several problems. The list has at least two errors, and none of them is `Several`.
    #[error("there are {} problems:{}", .0.len(), items(.0))]
    Several(Vec<Self>),
    /// A setting is zero, so nothing could run.
    #[error("the agent `{agent}` has an invalid setting: {mistake}")]
    #[non_exhaustive]
    ZeroSetting {
        /// The agent.
        agent: String,
        /// The setting that is zero, by its name in Rust.
        setting: String,
        /// The mistake, and what to write instead.
        mistake: String,
    },
    /// Two parts of a declaration exclude each other, or one has no effect; the text says what to remove or write.
    #[error("{mistake}")]
    #[non_exhaustive]
    Contradiction {
        /// The agent.
        agent: String,
        /// What is wrong, and what to write instead.
        mistake: String,
    },
    /// A part of the system prompt has no text.
    #[error("the system prompt of the agent `{agent}` has the part {}", part.without_text())]
    #[non_exhaustive]
    NoPromptText {
        /// The agent.
        agent: String,
        /// The part.
        part: PromptPart,
    },
    /// A part of the prompt of a builder or a request has no effect, because a `SystemMessage` of the same prompt, or the
    /// `system_message` of the agent, replaces the whole prompt. Or a builder gives a text or a source to a part that its
    /// agent leaves out.
    #[error("the prompt of the agent `{agent}` has the part {}: remove one of them", part.unused(*is_left_out))]
    #[non_exhaustive]
    UnusedPromptPart {
        /// The agent.
        agent: String,
        /// The part.
        part: PromptPart,
        /// Whether the agent leaves it out. Otherwise a `SystemMessage` replaces it.
        is_left_out: bool,
    },
    /// The system prompt shows the state, but the state cannot be written as JSON.
    #[error(
        "the system prompt of the agent `{agent}` shows its state `{state}`, which cannot be written as JSON: derive `serde::Serialize` and \
         `serde::Deserialize` for it"
    )]
    #[non_exhaustive]
    NoStateText {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
    },
    /// A text of the prompt has a placeholder for a field of the state, but the state cannot be written as JSON. The compiler fills the
    /// placeholders of literals only.
    #[error(
        "nothing fills `{{{placeholder}}}` in the part `{part}` of the agent `{agent}`, because its state `{state}` cannot be written as \
         JSON: derive `serde::Serialize` and `serde::Deserialize` for it, write the text as a literal, or write \
         `{{session_state.{placeholder}}}` for a value of the session and `{{{{{placeholder}}}}}` for the text"
    )]
    #[non_exhaustive]
    UnfilledPlaceholder {
        /// The agent.
        agent: String,
        /// The part.
        part: PromptPart,
        /// The path in the placeholder.
        placeholder: String,
        /// The type of the state.
        state: &'static str,
    },
    /// The definition of a tool has a mistake, such as a limit of zero, another name than its tool, or a schema that no check can use.
    #[error("{mistake}")]
    #[non_exhaustive]
    ToolDefinition {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// What is wrong, and what to write instead.
        mistake: String,
    },
    /// The request parameters of the agent cannot be used: its model does not support one of them, or `tool_choice` names a tool that
    /// the agent does not have.
    #[error("the request parameters of the agent `{agent}` cannot be used: {source}")]
    #[non_exhaustive]
    RequestParams {
        /// The agent.
        agent: String,
        /// The reason.
        source: Box<ModelError>,
    },
    /// The initial messages of the agent are not a conversation that providers accept.
    #[error("the initial messages of the agent `{agent}` cannot be used: {source}")]
    #[non_exhaustive]
    Messages {
        /// The agent.
        agent: String,
        /// The mistake and its position.
        source: HistoryError,
    },
    /// The agent declares a state, but no state of this type was set.
    #[error("the agent `{agent}` declares `state: {state}`, but no state was set: call `.state(..)`")]
    #[non_exhaustive]
    NoState {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
    },
    /// The agent uses a toolbox, but no object of its type was provided.
    #[error("the agent `{agent}` uses the toolbox `{toolbox}`, but no such toolbox was set: call `{call}`")]
    #[non_exhaustive]
    NoToolbox {
        /// The agent.
        agent: String,
        /// The toolbox's type.
        toolbox: &'static str,
        /// The builder call that provides it.
        call: String,
    },
    /// The lists of a hand-written toolbox differ.
    #[error("the lists of the toolbox `{toolbox}` differ: {problem}")]
    #[non_exhaustive]
    ToolboxLists {
        /// The toolbox's type.
        toolbox: &'static str,
        /// The difference.
        problem: String,
    },
    /// A state was set, but no agent declares its type. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// allows this.
    #[error(
        "`.state(..)` was called with a `{state}`, but no agent declares this type as its state; the agents declare: {declared}. \
         Remove the call, or correct the type"
    )]
    #[non_exhaustive]
    UnusedState {
        /// The type of the state.
        state: &'static str,
        /// The types of state that the agents declare.
        declared: String,
    },
    /// A tool, a hook or a guardrail takes a service that was not provided.
    #[error(
        "{part} of the agent `{agent}` takes the service `{}`, which was not provided: call `{}` of the builder, or \
         `.provide_per_request::<..>()` if each request provides its own",
        .service.name(),
        .service.call()
    )]
    #[non_exhaustive]
    NoService {
        /// The agent.
        agent: String,
        /// The tool, with its own hooks and guardrails, or the hook, such as ``the tool `pay` ``.
        part: String,
        /// The type of the service.
        service: ServiceType,
    },
    /// A service was provided, but no tool, hook or guardrail takes it.
    /// [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused) allows this.
    #[error(
        "`{call}` was called for the service `{}`, but no tool, hook or guardrail takes it{advice}; they take: {accepted}. Remove the \
         call, or correct the type; hand-written code declares what it takes (`onionskin::services`)",
        .service.name()
    )]
    #[non_exhaustive]
    UnusedService {
        /// The type of the service.
        service: ServiceType,
        /// The builder call that provided it.
        call: &'static str,
        /// The advice, as part of the sentence.
        advice: &'static str,
        /// The types of services that they take.
        accepted: String,
    },
    /// The state contains a secret that its type does not visit, so a session would not redact it.
    #[error(
        "the state `{state}` of the agent `{agent}` contains a secret that is not visited, so it would not be redacted: {advice}"
    )]
    #[non_exhaustive]
    UnvisitedSecret {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
        /// The advice, as part of the sentence.
        advice: &'static str,
    },
    /// A toolbox was provided, but no agent declares it. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// allows this.
    #[error(
        "`{call}` was called with the toolbox `{toolbox}`, but no agent declares it under this name{advice}"
    )]
    #[non_exhaustive]
    UnusedToolbox {
        /// The toolbox's type.
        toolbox: &'static str,
        /// The builder call that provided it.
        call: String,
        /// The advice, as part of the sentence.
        advice: String,
    },
    /// A server was configured, but no agent uses it. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// allows this.
    #[error(
        "`.server(\"{server}\", ..)` configures a server that no agent uses{near}; the agents use: {used}"
    )]
    #[non_exhaustive]
    UnusedServer {
        /// The server.
        server: String,
        /// The most similar name, as a question.
        near: String,
        /// The servers that agents use.
        used: String,
    },
    /// An agent sends a header to a server, or reads resources or prompts of one, which is not possible with it.
    #[error("the agent `{agent}` cannot {what} the server `{server}`: {reason}")]
    #[non_exhaustive]
    ServerPart {
        /// The agent.
        agent: String,
        /// The server.
        server: String,
        /// What the agent does: "read resources of".
        what: String,
        /// What is wrong, and what to write instead.
        reason: String,
    },
    /// The builder has settings for an agent that does not exist.
    #[error(
        "the builder has settings for the agent `{name}`, which does not exist{near} The agents are: {known}"
    )]
    #[non_exhaustive]
    NoAgent {
        /// The unknown name.
        name: String,
        /// The most similar name, as a question.
        near: String,
        /// The names of all agents, including children.
        known: String,
    },
    /// A hook that was added to an agent by name, or that a hand-written agent declares, takes another state.
    #[error(
        "the hook `{hook}` takes `State<{takes}>` and was added to the agent `{agent}`, whose state is `{state}`"
    )]
    #[non_exhaustive]
    HookState {
        /// The agent.
        agent: String,
        /// The hook's type.
        hook: &'static str,
        /// The state that the hook takes.
        takes: &'static str,
        /// The type of the agent's state.
        state: &'static str,
    },
    /// A tool of the builder, a source, a hand-written toolbox or a hand-written declaration takes another state.
    #[error(
        "the tool `{tool}` takes `State<{takes}>` and was added to the agent `{agent}`, whose state is `{state}`: declare \
         this state in the agent (`state: ..` in `agent!`, `type State = ..` by hand), or bind its values with `ToolSpec::bind`"
    )]
    #[non_exhaustive]
    ToolState {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// The state that the tool takes.
        takes: &'static str,
        /// The type of the agent's state.
        state: &'static str,
    },
    /// A hook that repeats calls ([`Hook::REPEATS`](crate::Hook::REPEATS)) would have no effect: its filter names a tool whose calls must
    /// not be repeated, or it can repeat no tool of the agent and this tool does not declare its effect.
    #[error("the hook `{hook}` of the agent `{agent}` repeats calls, but not calls of the tool `{tool}`, {}", .effect.why_not_repeated())]
    #[non_exhaustive]
    NotRepeated {
        /// The agent.
        agent: String,
        /// The hook.
        hook: String,
        /// The tool.
        tool: String,
        /// The effect that the tool declares.
        effect: Effect,
    },
    /// A hook ([`Hook::tools`](crate::Hook::tools)) or a source of the prompt
    /// ([`PromptSource::tools`](crate::prompt::PromptSource::tools)) brings a tool, and the agent has another tool of this
    /// name.
    #[error(
        "`{hook}` brings the tool `{tool}` to the agent `{agent}`, which has a tool of this name already: remove that tool from \
         the lists of the agent, or rename it"
    )]
    #[non_exhaustive]
    HookTool {
        /// The agent.
        agent: String,
        /// The hook, or the part of the prompt.
        hook: String,
        /// The name of both tools.
        tool: String,
    },
    /// A parameter of a tool, a hook or a guardrail takes another state than the state of the agent. Its type declares this in
    /// `Inject::services` or `InjectInRun::services`.
    #[error(
        "{part} of the agent `{agent}` takes `State<{takes}>`, and the state of the agent is `{state}`: declare this state in the agent \
         (`state: ..` in `agent!`, `type State = ..` by hand), or remove {part}"
    )]
    #[non_exhaustive]
    OtherState {
        /// The agent.
        agent: String,
        /// The tool, with its own hooks and guardrails, or the hook, such as ``the tool `pay` ``.
        part: String,
        /// The state that the part takes.
        takes: &'static str,
        /// The type of the agent's state.
        state: &'static str,
    },
    /// The `history_source` of the agent is `messages`, but none of its children has messages.
    #[error(
        "the agent `{agent}` declares `history_source: messages`, but no messages were set for any of its children: call \
         `.for_agent(\"{child}\", |agent| agent.messages(..))`"
    )]
    #[non_exhaustive]
    NoMessages {
        /// The agent.
        agent: String,
        /// Its first child.
        child: String,
    },
    /// Messages were set for a child that does not start with messages.
    #[error(
        "messages were set for the agent `{agent}`, which does not start with messages: write `history_source: messages` in an \
         agent that calls it"
    )]
    #[non_exhaustive]
    UnusedMessages {
        /// The agent.
        agent: String,
    },
    /// An example of a tool does not match its schema.
    #[error("a tool of the agent `{agent}` has an invalid example: {source}")]
    #[non_exhaustive]
    Example {
        /// The agent.
        agent: String,
        /// The error in the example.
        source: ExampleError,
    },
    /// Code that declares the agent panicked: the schema of a tool, the configuration of a hook, or `supports` of the model.
    #[error("{what}: {reason}")]
    #[non_exhaustive]
    Panicked {
        /// The agent.
        agent: String,
        /// What panicked.
        what: String,
        /// The message of the panic.
        reason: String,
    },
    /// Providers reject the agent's name: other agents call it as the tool `agent__` plus its name.
    #[error("the agent name `{agent}` is invalid: {mistake}")]
    #[non_exhaustive]
    AgentName {
        /// The agent.
        agent: String,
        /// The mistake in the name.
        mistake: String,
    },
    /// A hand-written child has no description, by which the model of its parent chooses it. For other children, `agent!`
    /// reports this at compile time.
    #[error(
        "the agent `{child}` has no description, and the agent `{agent}` calls it: write \
         `AgentDeclaration::new().description(..)` in its `declare`"
    )]
    #[non_exhaustive]
    NoDescription {
        /// The agent that calls the child.
        agent: String,
        /// The agent without a description.
        child: String,
    },
    /// Providers reject the tool's name.
    #[error("the tool `{tool}` of the agent `{agent}` has a name that providers reject: {problem}")]
    #[non_exhaustive]
    ToolName {
        /// The agent.
        agent: String,
        /// The tool, with the prefix of its toolbox.
        tool: String,
        /// The mistake in the name.
        problem: NameProblem,
    },
    /// The name of a server's tool does not begin with the server's name.
    #[error(
        "the server `{server}` of the agent `{agent}` has a tool called `{tool}`: the name in a definition must be `{server}__`, \
         followed by the name of the tool"
    )]
    #[non_exhaustive]
    ServerToolName {
        /// The agent.
        agent: String,
        /// The server.
        server: String,
        /// The name in the tool's definition.
        tool: String,
    },
    /// The names of two servers of an agent allow two tools with the same name.
    #[error(
        "the servers `{first}` and `{second}` of the agent `{agent}` can have tools with the same name, because names of tools of \
         `{first}` begin with `{first}__`: rename one of the servers"
    )]
    #[non_exhaustive]
    ServerNames {
        /// The agent.
        agent: String,
        /// The server with the shorter name.
        first: String,
        /// The other server.
        second: String,
    },
    /// A pattern of an agent matches no tool of a server.
    #[error(
        "the agent `{agent}` selects `{pattern}` from the server `{server}`, which has no such tool{near}; its tools are: \
         {tools}. Correct the pattern in the agent's `tools`"
    )]
    #[non_exhaustive]
    NoServerTool {
        /// The agent.
        agent: String,
        /// The server.
        server: String,
        /// The pattern.
        pattern: String,
        /// A tool of the server with a similar name, as part of the sentence.
        near: String,
        /// The server's tools.
        tools: String,
    },
    /// An agent names a tool of a server that its provider does not pass on.
    #[error("the agent `{agent}` {names}, but this tool is not available: {reason}")]
    #[non_exhaustive]
    UnavailableTool {
        /// The agent.
        agent: String,
        /// Where the agent names the tool, as part of the sentence.
        names: String,
        /// The tool, and the reason why it is not available ([`ToolProvider::left_out`](crate::servers::ToolProvider::left_out)).
        reason: String,
    },
    /// The model would see two tools of one agent under the same name. [`NameClash`] names the agent and both tools.
    #[error(transparent)]
    NameClash(#[from] NameClash),
    /// The filter of a hook or a guardrail names a tool that the agent does not have.
    #[error("the filter of `{hook}` names the tool `{tool}`, which the agent `{agent}` does not have{near}")]
    #[non_exhaustive]
    FilterNamesNoTool {
        /// The agent.
        agent: String,
        /// The hook or guardrail.
        hook: &'static str,
        /// The tool's name in the filter.
        tool: Cow<'static, str>,
        /// A tool of the agent with a similar name, as part of the sentence.
        near: String,
    },
    /// An agent contains itself.
    #[error("the agent `{agent}` contains itself: {path}")]
    #[non_exhaustive]
    Cycle {
        /// The agent.
        agent: String,
        /// The path of agents, outermost first.
        path: String,
    },
    /// An agent has too many levels of agents above it.
    #[error(
        "agents can be nested {max} levels deep, but the agent `{agent}` is deeper: remove levels above it"
    )]
    #[non_exhaustive]
    TooManyLevels {
        /// The agent.
        agent: String,
        /// The maximum number of levels.
        max: usize,
    },
    /// A server is not configured.
    #[error(
        "the agent `{agent}` uses the server `{server}`, which is not configured; the configured servers are: {known}. Add it \
         to `.mcp.json` or call `.server(\"{server}\", ..)`"
    )]
    #[non_exhaustive]
    UnknownServer {
        /// The agent.
        agent: String,
        /// The server.
        server: String,
        /// The configured servers.
        known: String,
    },
    /// A server did not start, or does not provide the tools that the agent selects.
    #[error(transparent)]
    Server(ServerError),
    /// No agent of the app is its entry, or several are.
    #[error("{mistake}")]
    #[non_exhaustive]
    Entry {
        /// What is wrong, and what to write instead.
        mistake: String,
    },
    /// Two agents have the same name, so the name is ambiguous.
    #[error("two agents are called `{name}`: give one of them another name")]
    #[non_exhaustive]
    TwoAgents {
        /// The name.
        name: String,
    },
}

/// Lists each error on its own line.
fn items(errors: &[BuildError]) -> String {
    errors.iter().fold(String::new(), |mut all, error| {
        all.push_str("\n- ");
        all.push_str(&error.to_string());
        all
    })
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_with_causes(self, f)
    }
}

impl BuildError {
    /// The error of an agent whose declaration panicked.
    pub(in crate::agent) fn declaring(agent: &str, reason: String) -> Self {
        let what = format!(
            "a part of the declaration of the agent `{agent}` panicked, for example the configuration of a hook"
        );
        Self::panicked(agent, what, reason)
    }

    pub(in crate::agent) fn panicked(agent: &str, what: String, reason: String) -> Self {
        Self::Panicked { agent: agent.to_owned(), what, reason }
    }

    /// Fails if there is a problem.
    pub(in crate::agent) fn all(problems: Vec<Self>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::together(problems)) }
    }

    /// Combines all problems into one error.
    pub(super) fn together(mut problems: Vec<Self>) -> Self {
        if problems.len() == 1 { problems.swap_remove(0) } else { Self::Several(problems) }
    }
}
