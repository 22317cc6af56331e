//! `BuildError` says why an agent cannot be built.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use onionskin_vocabulary::LONGEST_AGENT_NAME;
use onionskin_vocabulary::agent::Setting;

use crate::prompt::PromptPart;
use onionskin_definitions::definition::{Effect, ExampleError, NameProblem};
use onionskin_definitions::error::{BoxError, redact_error, write_with_causes};
use onionskin_definitions::secret::{Redact, Redactor};
use onionskin_tools::context::NameClash;
use onionskin_tools::model::{HistoryError, ModelError};
use onionskin_tools::services::ServiceType;

/// An error of a server, as the crate that implements it returned it.
#[derive(Debug, Clone)]
pub struct ServerError(Arc<dyn Error + Send + Sync>);

impl ServerError {
    pub(in crate::agent) fn new(error: BoxError) -> Self {
        Self(error.into())
    }

    /// The error as a value of type `E`, such as `mcp::McpError`; `None` if it has another type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl Redact for ServerError {
    fn redact(&mut self, redactor: &Redactor) {
        redact_error(&mut self.0, redactor);
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ServerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl From<BoxError> for BuildError {
    fn from(error: BoxError) -> Self {
        Self::Server(ServerError::new(error))
    }
}

/// The reason why an agent could not be built.
///
/// `Debug` is the text too, with the texts of its sources, so an error that `main` returns can be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
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
    /// Several errors at once, each for a different problem. The list has at least two, none of which is `Several`.
    #[error("{} things are wrong:{}", .0.len(), items(.0))]
    Several(Vec<Self>),
    /// A limit is zero, so that nothing could run.
    #[error("a bound of the agent `{agent}` does not fit: {mistake}")]
    #[non_exhaustive]
    Zero {
        /// The agent.
        agent: String,
        /// The setting that is zero, as Rust names it.
        setting: String,
        /// What is wrong, and what the developer can do.
        mistake: String,
    },
    /// The agent has an `output`, and its request parameters have a `response_schema`.
    #[error(
        "the agent `{agent}` has an `output`, whose schema its model gets, and a `response_schema` in `request_params`: keep one of them"
    )]
    #[non_exhaustive]
    TwoAnswerForms {
        /// The agent.
        agent: String,
    },
    /// The agent has an `output`, which ends a run, and a text that ends it
    /// ([`AgentDeclaration::until`](crate::declaration::AgentDeclaration::until)).
    #[error(
        "the agent `{agent}` has an `output`, and an answer of that type ends its run: remove the text of `until`"
    )]
    #[non_exhaustive]
    UntilTyped {
        /// The agent.
        agent: String,
    },
    /// The text that ends the runs of the agent is empty, so each answer would
    /// ([`AgentDeclaration::until`](crate::declaration::AgentDeclaration::until)).
    #[error(
        "the agent `{agent}` has an empty text in `until`, which each answer holds: write the text, or leave it out"
    )]
    #[non_exhaustive]
    UntilEmpty {
        /// The agent.
        agent: String,
    },
    /// The agent gives words to tools, and adds none
    /// ([`AgentDeclaration::worded`](crate::declaration::AgentDeclaration::worded)).
    #[error(
        "the agent `{agent}` calls `worded` with a function that adds no tool: add the tool in it, `.worded(words, |agent| agent.tool(..))`"
    )]
    #[non_exhaustive]
    WordsWithoutTool {
        /// The agent.
        agent: String,
    },
    /// A part of the system prompt was added, and nothing gives it a text.
    #[error(
        "the system prompt of the agent `{agent}` has the part `{part}` without a text: give it one with \
         `.prompt(Prompt::new().text(PromptPart::{part}, \"..\"))`"
    )]
    #[non_exhaustive]
    NoPromptText {
        /// The agent.
        agent: String,
        /// The part.
        part: PromptPart,
    },
    /// The prompt of a builder or of a request has a part that has no effect, because a `SystemMessage` replaces the whole prompt: that of the
    /// same prompt, or the agent's own `system_message`.
    #[error(
        "the prompt of the agent `{agent}` has the part `{part}` beside a `SystemMessage`, which replaces all other parts: leave one \
         of them out"
    )]
    #[non_exhaustive]
    UnusedPromptPart {
        /// The agent.
        agent: String,
        /// The part.
        part: PromptPart,
    },
    /// The system prompt shows the state, whose type has no JSON.
    #[error(
        "the system prompt of the agent `{agent}` shows its state `{state}`, which has no JSON: derive `serde::Serialize` and \
         `serde::Deserialize` for it"
    )]
    #[non_exhaustive]
    NoStateText {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
    },
    /// A limit of a tool is zero, so that every call would fail.
    #[error("the tool `{tool}` of the agent `{agent}` sets `{setting}` to 0: leave it out for no limit")]
    #[non_exhaustive]
    ZeroOfTool {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// The setting that is zero.
        setting: &'static str,
    },
    /// The schema of a tool's arguments is not that of an object.
    #[error(
        "the arguments of the tool `{tool}` of the agent `{agent}` need the schema of an object, but {problem}: write \
         `\"type\": \"object\"` with `properties`, or derive the schema from a struct with named fields"
    )]
    #[non_exhaustive]
    InputSchema {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// What the schema has in place of an object's type.
        problem: String,
    },
    /// A part of the schema of a tool's arguments cannot be checked: an unknown type, a reference to nothing, an unreadable
    /// pattern. Calls that the schema should refuse would reach the tool.
    #[error(
        "the schema of the arguments of the tool `{tool}` of the agent `{agent}` has a mistake: {problem}"
    )]
    #[non_exhaustive]
    SchemaMistake {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// The place of the part in the schema, its value, and the expected value.
        problem: String,
    },
    /// The request parameters of the agent cannot be used: its model does not support one of them, or `tool_choice` names a tool that
    /// the agent does not have.
    #[error("the request parameters of the agent `{agent}` cannot be used: {source}")]
    #[non_exhaustive]
    RequestParams {
        /// The agent.
        agent: String,
        /// The reason why they are refused.
        source: Box<ModelError>,
    },
    /// The messages that the agent begins with are not a conversation that providers take.
    #[error("the initial messages of the agent `{agent}` cannot be used: {source}")]
    #[non_exhaustive]
    Messages {
        /// The agent.
        agent: String,
        /// The mistake and its place.
        source: HistoryError,
    },
    /// The agent declares a state, and no state of this type was set.
    #[error("the agent `{agent}` declares `state: {state}`, but no state was set: call `.state(..)`")]
    #[non_exhaustive]
    NoState {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
    },
    /// The agent uses a toolbox, and no object of its type was provided.
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
    /// The lists of a toolbox that is written by hand disagree.
    #[error("the toolbox `{toolbox}` disagrees with itself: {problem}")]
    #[non_exhaustive]
    ToolboxLists {
        /// The toolbox's type.
        toolbox: &'static str,
        /// What differs.
        problem: String,
    },
    /// A state was set, and no agent declares this type. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// was not called.
    #[error(
        "`.state(..)` was called with a `{state}`, but no agent declares this type as its state; the agents declare: {declared}. \
         Remove the call, or correct the type"
    )]
    #[non_exhaustive]
    UnusedState {
        /// The type of the state.
        state: &'static str,
        /// The types of state that agents declare.
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
    /// A service was provided, and no tool, hook or guardrail of any agent takes it. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// was not called.
    #[error(
        "`{call}` was called for the service `{}`, but no tool, hook or guardrail takes it{advice}; they take: {taken}. Remove the \
         call, or correct the type; hand-written code declares what it takes (`onionskin::services`)",
        .service.name()
    )]
    #[non_exhaustive]
    UnusedService {
        /// The type of the service.
        service: ServiceType,
        /// The builder call that provided it.
        call: &'static str,
        /// What the developer can do, as a part of the error's text.
        advice: &'static str,
        /// The types that they take.
        taken: String,
    },
    /// The state owns a secret that its type does not list, so that a session would not redact it.
    #[error(
        "the state `{state}` of the agent `{agent}` holds a secret that is not visited, so it would not be redacted: {advice}"
    )]
    #[non_exhaustive]
    UnvisitedSecret {
        /// The agent.
        agent: String,
        /// The type of the state.
        state: &'static str,
        /// What the developer can do, as the last part of the error's text.
        advice: &'static str,
    },
    /// A toolbox was provided, and no agent declares it. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// was not called.
    #[error(
        "`{call}` was called with the toolbox `{toolbox}`, but no agent declares it under this name{advice}"
    )]
    #[non_exhaustive]
    UnusedToolbox {
        /// The toolbox's type.
        toolbox: &'static str,
        /// The builder call that provided it.
        call: String,
        /// What the developer can do, as the last part of the error's text.
        advice: String,
    },
    /// A server was configured, and no agent uses it. [`AppBuilder::allow_unused`](crate::declaration::AppBuilder::allow_unused)
    /// was not called.
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
    /// The builder got something for an agent name that no agent has.
    #[error(
        "the builder has settings for the agent `{name}`, which does not exist{near} The agents are: {known}"
    )]
    #[non_exhaustive]
    NoAgent {
        /// The unknown name.
        name: String,
        /// The most similar name, as a question.
        near: String,
        /// The names of all agents, children included.
        known: String,
    },
    /// A hook that was added to an agent by name, or that an agent by hand declares, works on another state.
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
    /// A hook of a declaration sees the calls of the agents below too, and takes a state.
    #[error(
        "the hook `{hook}` of the agent `{agent}` is everywhere and takes `State<{takes}>`: the agents below have other states, so \
         name the hook in each agent with this state"
    )]
    #[non_exhaustive]
    HookEverywhere {
        /// The agent.
        agent: String,
        /// The hook's type.
        hook: &'static str,
        /// The state that the hook takes.
        takes: &'static str,
    },
    /// A guardrail of a declaration has the filter of hooks that see the calls of the agents below too.
    #[error(
        "the guardrail `{guardrail}` of the agent `{agent}` is everywhere: it checks the calls of its own agent, so name it in each \
         agent, without this filter"
    )]
    #[non_exhaustive]
    GuardrailEverywhere {
        /// The agent.
        agent: String,
        /// The guardrail.
        guardrail: &'static str,
    },
    /// An agent has an output guardrail, and its children's conversations would come into its own without passing it.
    #[error(
        "the agent `{agent}` checks results with the guardrail `{guardrail}`, and `{merge}: orchestrator` brings the \
         conversations of its children into its own past that: leave one of the two out, or merge into the child \
         (`{merge}: child`)",
        merge = Setting::HistoryMergeTarget
    )]
    #[non_exhaustive]
    MergedUnguarded {
        /// The agent.
        agent: String,
        /// The guardrail.
        guardrail: String,
    },
    /// A tool of the builder, of a source, of a toolbox by hand or of a declaration by hand works on another state.
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
    /// A hook that repeats calls ([`Hook::REPEATS`](crate::Hook::REPEATS)) would do nothing: its filter names a tool whose calls it does not
    /// repeat, or it can repeat no tool of the agent and this one does not say what its effect is.
    #[error("the hook `{hook}` of the agent `{agent}` repeats calls, and not those of the tool `{tool}`, {}", .effect.why_not_repeated())]
    #[non_exhaustive]
    NotRepeated {
        /// The agent.
        agent: String,
        /// The hook.
        hook: String,
        /// The tool.
        tool: String,
        /// What the tool says of its effect.
        effect: Effect,
    },
    /// A parameter of a tool, a hook or a guardrail takes another state than the agent's, as its type says in `Inject::services` or
    /// `InjectInRun::services`.
    #[error(
        "{part} of the agent `{agent}` takes `State<{takes}>`, and the state of the agent is `{state}`: declare this state in the agent \
         (`state: ..` in `agent!`, `type State = ..` by hand), or leave {part} out"
    )]
    #[non_exhaustive]
    OtherState {
        /// The agent.
        agent: String,
        /// The tool, with its own hooks and guardrails, or the hook, such as ``the tool `pay` ``.
        part: String,
        /// The state that it takes.
        takes: &'static str,
        /// The type of the agent's state.
        state: &'static str,
    },
    /// The agent's `history_source` is `messages`, and none of its children has messages.
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
    /// Messages were set for a child that does not begin with messages.
    #[error(
        "messages were set for the agent `{agent}`, which does not start with messages: write `history_source: messages` in an \
         agent that calls it"
    )]
    #[non_exhaustive]
    UnusedMessages {
        /// The agent.
        agent: String,
    },
    /// An example of a tool does not fit its schema.
    #[error("a tool of the agent `{agent}` has a wrong example: {source}")]
    #[non_exhaustive]
    Example {
        /// The agent.
        agent: String,
        /// The error in the example.
        source: ExampleError,
    },
    /// The schema of a tool, or the default of one of its parameters, panicked.
    #[error("the schema of the tool `{tool}` of the agent `{agent}` panicked: {reason}")]
    #[non_exhaustive]
    ToolPanicked {
        /// The agent.
        agent: String,
        /// The tool.
        tool: &'static str,
        /// The message of the panic.
        reason: String,
    },
    /// Providers reject the agent's name: other agents call it as the tool `agent__` plus its name.
    #[error(
        "an agent has the name `{agent}`: write letters A to Z, digits, `_` and `-`, 1 to {most} characters, because other agents \
         call it as a tool",
        most = LONGEST_AGENT_NAME
    )]
    #[non_exhaustive]
    AgentName {
        /// The agent.
        agent: String,
    },
    /// A child that is written by hand has no description, by which the model of its parent chooses it. `agent!` reports that of
    /// a child when the program is compiled.
    #[error(
        "the agent `{child}` has no description, and the agent `{agent}` calls it: write \
         `AgentDeclaration::new().description(..)` in its `declare`"
    )]
    #[non_exhaustive]
    NoDescription {
        /// The agent that calls it.
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
    /// A hand-written tool has one name in its type and another in its definition.
    #[error(
        "the tool `{tool}` of the agent `{agent}` has another name in its definition, `{defined}`: write \
         `ToolDefinition::new(Self::NAME, ..)`"
    )]
    #[non_exhaustive]
    TwoNames {
        /// The agent.
        agent: String,
        /// Its `NAME`.
        tool: &'static str,
        /// The name in its definition.
        defined: String,
    },
    /// The name of a server's tool does not begin with the server's name.
    #[error(
        "the server `{server}` of the agent `{agent}` has a tool called `{tool}`: the name in a definition must be `{server}__` \
         and the tool's own name"
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
    /// The names of two servers of an agent are so alike that a tool of one can have the name of a tool of the other.
    #[error(
        "the servers `{first}` and `{second}` of the agent `{agent}` can have tools of the same name: tools of `{first}` are called \
         `{first}__` and so on; give one of the servers another name"
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
    /// An agent names a tool that its server has and leaves out.
    #[error("the agent `{agent}` {names}, and does not get it: {reason}")]
    #[non_exhaustive]
    LeftOut {
        /// The agent.
        agent: String,
        /// Where the agent names the tool, as part of the sentence.
        names: String,
        /// The tool, and why it is left out ([`ToolProvider::left_out`](crate::servers::ToolProvider::left_out)).
        reason: String,
    },
    /// A part of the agent's declaration panicked, for example the configuration of a hook.
    #[error(
        "a part of the declaration of the agent `{agent}` panicked, for example the configuration of a hook: {reason}"
    )]
    #[non_exhaustive]
    DeclarationPanicked {
        /// The agent.
        agent: String,
        /// The message of the panic.
        reason: String,
    },
    /// The agent's model panicked when it was asked what it supports ([`Model::supports`](crate::model::Model::supports)).
    #[error("the model of the agent `{agent}` panicked when it was asked what it supports: {reason}")]
    #[non_exhaustive]
    ModelPanicked {
        /// The agent.
        agent: String,
        /// The message of the panic.
        reason: String,
    },
    /// Two tools of one agent have the same name for the model. [`NameClash`] names the agent and both tools.
    #[error(transparent)]
    NameClash(#[from] NameClash),
    /// The filter of a hook or guardrail names a tool that the agent lacks.
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
        /// The path of agents, from the outermost inwards.
        path: String,
    },
    /// An agent is too many levels below the outermost one.
    #[error(
        "the agent `{agent}` would be on a level of its own below {most} others, which is the most: give an agent above it fewer levels of children"
    )]
    #[non_exhaustive]
    TooManyLevels {
        /// The agent.
        agent: String,
        /// The most levels.
        most: usize,
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
    /// An app has no entry agent.
    #[error("the app has no entry agent: write `default: true` in one of its agents ({agents})")]
    #[non_exhaustive]
    NoEntry {
        /// The app's agents.
        agents: String,
    },
    /// An app has no agent of the name that [`AppBuilder::entry`](crate::agent::AppBuilder::entry) sets.
    #[error("the app has no agent `{name}` that could be its entry; it has: {agents}")]
    #[non_exhaustive]
    UnknownEntry {
        /// The name.
        name: String,
        /// The app's agents.
        agents: String,
    },
    /// An app has several entry agents.
    #[error("several agents of the app have `default: true`: {agents}; only one can be the entry")]
    #[non_exhaustive]
    SeveralEntries {
        /// The entry agents.
        agents: String,
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
    /// Fails if there is a problem.
    pub(in crate::agent) fn all(problems: Vec<Self>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::together(problems)) }
    }

    /// Combines all problems in one error.
    pub(super) fn together(mut problems: Vec<Self>) -> Self {
        if problems.len() == 1 { problems.swap_remove(0) } else { Self::Several(problems) }
    }
}
