//! An `App` holds several agents of one program.

use std::sync::Arc;

use super::Agent;
use super::build_error::BuildError;
use super::declaration::DynAgent;
use super::declared::declaring;
use super::handle::AgentHandle;
use super::limits::Limits;
use super::run_error::RunError;
use super::servers::{IntoToolServer, ToolServers};
use super::setup::{Setup, works_on};
use super::stream::RunStream;
use crate::approval::Approver;
use crate::event::RunOutput;
use crate::journal::Journal;
use crate::message_hook::MessageHook;
use crate::model::{BoxModel, Message, Model};
use crate::onion::{Hook, MadeBy, caught};
use crate::policy::{InputGuardrail, OutputGuardrail};
use crate::prompt::Prompt;
use crate::question::Answerer;
use crate::run_hook::{RunHook, RunInput};
use crate::secret::{Secret, Sensitive};
use crate::services::{GivenService, Service, ServiceType};
use crate::spec::ToolValue;
use crate::tool::{SharedToolbox, Works};
use crate::turn_hook::TurnHook;
use crate::typed::RawHook;

/// Several agents in one program, which share a model, states, toolboxes and servers. The agent with `default: true` is
/// the entry agent.
///
/// ```
/// use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
///
/// agent! {
///     Clerk { default: true, instruction: "Answer." }
///     Auditor { instruction: "Check the answer." }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("I heard: {input}")]);
/// let app = App::builder().agent::<Clerk>().agent::<Auditor>().model(model).build().await.unwrap();
/// assert_eq!(app.run("Hello.").await.unwrap().text, "I heard: Hello.");
/// assert_eq!(app.agent("Auditor").unwrap().name(), "Auditor");
/// # });
/// ```
#[derive(Debug)]
pub struct App {
    agents: Vec<AgentHandle>,
    entry: usize,
    initial_message: Option<Arc<str>>,
}

impl App {
    /// Makes a builder of an app without agents.
    pub fn builder() -> AppBuilder {
        AppBuilder { setup: Setup::default(), links: Vec::new(), entry: None, initial_message: None }
    }

    /// The entry agent.
    pub fn entry(&self) -> &AgentHandle {
        &self.agents[self.entry]
    }

    /// Finds an agent that was added with [`AppBuilder::agent`] by its name.
    ///
    /// # Errors
    /// Returns an error that lists the app's agents if none has this name.
    pub fn agent(&self, name: &str) -> Result<&AgentHandle, RunError> {
        self.agents.iter().find(|agent| agent.name() == name).ok_or_else(|| RunError::UnknownAgent {
            name: name.to_owned(),
            known: self.agents.iter().map(AgentHandle::name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The names of the agents that were added with [`AppBuilder::agent`], in that order.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(AgentHandle::name)
    }

    /// The message that the app begins with if the program gives none ([`AppBuilder::initial_message`]).
    pub fn initial_message(&self) -> Option<&str> {
        self.initial_message.as_deref()
    }

    /// Runs the entry agent in a new session, with the [initial message](AppBuilder::initial_message) as its input.
    ///
    /// Cancel safety: as [`AgentHandle::run`].
    ///
    /// # Errors
    /// Returns an error if the app has no initial message, or if the run ends without an answer.
    pub async fn begin(&self) -> Result<RunOutput, RunError> {
        match &self.initial_message {
            Some(message) => self.run(&**message).await,
            None => Err(RunError::NoInput { agent: Arc::clone(&self.entry().instance.name) }),
        }
    }

    /// Ends the servers of tools and waits for them, as [`AgentHandle::shutdown`] does.
    ///
    /// Cancel safety: dropping the future kills the servers that have not ended.
    pub async fn shutdown(self) {
        if let Some(agent) = self.agents.into_iter().next() {
            agent.shutdown().await;
        }
    }
}

/// Builds an [`App`]; [`App::builder`] makes it.
///
/// Services, states, toolboxes and servers that no agent uses are errors of [`Self::build`], unless [`Self::allow_unused`] is called.
///
/// ```
/// use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
///
/// agent! {
///     Clerk { default: true, instruction: "Answer.", state: u32 }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Done.")]);
/// let app = App::builder().agent::<Clerk>().model(model).state(3_u32).build().await.unwrap();
/// assert_eq!(app.run("Hello.").await.unwrap().text, "Done.");
/// # });
/// ```
#[must_use = "a builder does nothing until it is built"]
pub struct AppBuilder {
    setup: Setup,
    links: Vec<DynAgent>,
    entry: Option<String>,
    initial_message: Option<Arc<str>>,
}

impl AppBuilder {
    /// Adds an agent. Its children are added with it. Add a child by itself only to ask it by name.
    pub fn agent<A: Agent>(mut self) -> Self {
        self.links.push(DynAgent::of::<A>());
        self
    }

    /// As [`Self::agent`], for an agent that is made at run time.
    pub fn dyn_agent(mut self, agent: &DynAgent) -> Self {
        self.links.push(agent.clone());
        self
    }

    /// Allows services, states, toolboxes and servers that no agent uses, also services of requests. They are errors otherwise. It is for agents
    /// whose declarations come from outside of the program, such as cards: `LoadedCards::add_to` calls it.
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, DynAgent};
    /// use onionskin::{App, ScriptedModel};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = DynAgent::new("Clerk", || AgentDeclaration::new().instruction("Answer."));
    /// let app = || App::builder().dyn_agent(&clerk).model(ScriptedModel::new()).state(3_u32);
    /// assert!(app().build().await.is_err());
    /// assert!(app().allow_unused().build().await.is_ok());
    /// # });
    /// ```
    pub fn allow_unused(mut self) -> Self {
        self.setup.allows_unused = true;
        self
    }

    /// Makes the agent of this name the entry agent, whichever agents have `default: true`.
    ///
    /// ```
    /// use onionskin::{App, ScriptedModel, agent};
    ///
    /// agent! {
    ///     Clerk { default: true, instruction: "Answer." }
    ///     Auditor { instruction: "Check the answer." }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let app = App::builder().agent::<Clerk>().agent::<Auditor>().entry("Auditor").model(ScriptedModel::turns([]));
    /// assert_eq!(app.build().await.unwrap().entry().name(), "Auditor");
    /// # });
    /// ```
    pub fn entry(mut self, agent: impl Into<String>) -> Self {
        self.entry = Some(agent.into());
        self
    }

    /// Sets the message that the app begins with if the program gives none: the input of [`App::begin`].
    ///
    /// ```
    /// use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("I heard: {input}")]);
    /// let app = App::builder().agent::<Clerk>().initial_message("Hello.").model(model).build().await.unwrap();
    /// assert_eq!(app.begin().await.unwrap().text, "I heard: Hello.");
    /// # });
    /// ```
    pub fn initial_message(mut self, text: impl Into<Arc<str>>) -> Self {
        self.initial_message = Some(text.into());
        self
    }

    /// Sets the model for all agents, also for those that name one: the model gets the name in
    /// [`ModelRequest::model`](crate::model::ModelRequest::model).
    pub fn model(mut self, model: impl Model) -> Self {
        self.setup.model = Some(BoxModel::new(model));
        self
    }

    /// Sets the initial state of new sessions, for the agents with this type of state. Without such an agent [`Self::build`] fails, unless
    /// [that is allowed](Self::allow_unused).
    pub fn state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        self.setup.state(state);
        self
    }

    /// Registers a secret with all sessions; see [`AgentBuilder::conceal`](super::AgentBuilder::conceal).
    pub fn conceal<T: Sensitive>(mut self, secret: &Secret<T>) -> Self {
        self.setup.conceal(secret);
        self
    }

    /// Provides a service: a value that the tools, hooks and guardrails of all agents take by its type, as
    /// [`Provided<T>`](crate::Provided). All sessions share it. A later call for the same type replaces it, and a request
    /// can replace it for its run ([`RunRequest::provide`](crate::run::RunRequest::provide)). [`Self::build`] fails if
    /// no agent takes the service, unless [that is allowed](Self::allow_unused).
    pub fn provide<T: Service>(mut self, service: T) -> Self {
        self.setup.services.give(GivenService::of_value(service));
        self
    }

    /// As [`Self::provide`], for a service in an [`Arc`], also of a trait object: with an `Arc<dyn Clock>`, tools take
    /// `Provided<dyn Clock>`.
    pub fn provide_shared<T: ?Sized + Service>(mut self, service: Arc<T>) -> Self {
        self.setup.services.give(GivenService::new(service));
        self
    }

    /// Declares that each request provides a service of this type
    /// ([`RunRequest::provide`](crate::run::RunRequest::provide)), such as a client with the rights of one user. A run of
    /// an agent that takes it does not begin without it ([`RunError::NoService`]).
    pub fn provide_per_request<T: ?Sized + Service>(mut self) -> Self {
        self.setup.services.give_per_request(ServiceType::of::<T>());
        self
    }

    /// Provides a toolbox that agents name in `toolboxes: [..]`.
    pub fn toolbox(mut self, toolbox: impl SharedToolbox) -> Self {
        self.setup.toolbox(None, &toolbox.share());
        self
    }

    /// As [`Self::toolbox`], for a toolbox that agents name with a prefix: `toolboxes: [archive: Kb]`.
    pub fn toolbox_as(mut self, prefix: &str, toolbox: impl SharedToolbox) -> Self {
        self.setup.toolbox(Some(prefix), &toolbox.share());
        self
    }

    /// Adds a hook to the agent of this name, for example a child; see
    /// [`AgentBuilder::hook`](super::AgentBuilder::hook). `build` checks that the hook works on the agent's state.
    pub fn hook_for<H>(mut self, agent: impl Into<String>, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: Works>>,
    {
        self.setup.of(agent).unchecked_hook(hook);
        self
    }

    /// Adds a guardrail on the arguments to the agent of this name, for example a child; see
    /// [`AgentBuilder::input_guardrail`](super::AgentBuilder::input_guardrail). `build` checks that it works on the
    /// agent's state.
    pub fn input_guardrail_for<G>(mut self, agent: impl Into<String>, guardrail: G) -> Self
    where
        G: InputGuardrail<Made: MadeBy<G, State: Works>>,
    {
        self.setup.of(agent).input_guardrail(guardrail, works_on::<G, G::Made>());
        self
    }

    /// As [`Self::input_guardrail_for`], on the results.
    pub fn output_guardrail_for<G>(mut self, agent: impl Into<String>, guardrail: G) -> Self
    where
        G: OutputGuardrail<Made: MadeBy<G, State: Works>>,
    {
        self.setup.of(agent).output_guardrail(guardrail, works_on::<G, G::Made>());
        self
    }

    /// Adds a run hook to the agent of this name, for example a child; see [`AgentBuilder::run_hook`](super::AgentBuilder::run_hook).
    /// `build` checks that the hook works on the agent's state.
    pub fn run_hook_for<H>(mut self, agent: impl Into<String>, hook: H) -> Self
    where
        H: RunHook<Made: MadeBy<H, State: Works>>,
    {
        self.setup.of(agent).unchecked_run_hook(hook);
        self
    }

    /// Sets parts of the system prompt of the agent of this name; see
    /// [`AgentBuilder::prompt`](super::AgentBuilder::prompt).
    pub fn prompt_for(mut self, agent: impl Into<String>, prompt: Prompt) -> Self {
        self.setup.of(agent).prompt(prompt);
        self
    }

    /// Adds a turn hook to the agent of this name, for example a child; see
    /// [`AgentBuilder::turn_hook`](super::AgentBuilder::turn_hook). `build` checks that the hook works on the agent's state.
    pub fn turn_hook_for<H>(mut self, agent: impl Into<String>, hook: H) -> Self
    where
        H: TurnHook<Made: MadeBy<H, State: Works>>,
    {
        self.setup.of(agent).unchecked_turn_hook(hook);
        self
    }

    /// Adds a message hook to the agent of this name, for example a child; see
    /// [`AgentBuilder::message_hook`](super::AgentBuilder::message_hook). `build` checks that the hook works on the agent's state.
    pub fn message_hook_for<H>(mut self, agent: impl Into<String>, hook: H) -> Self
    where
        H: MessageHook<Made: MadeBy<H, State: Works>>,
    {
        self.setup.of(agent).unchecked_message_hook(hook);
        self
    }

    /// Adds a tool to the agent of this name; see [`AgentBuilder::tool`](super::AgentBuilder::tool).
    pub fn tool_for(mut self, agent: impl Into<String>, tool: impl ToolValue) -> Self {
        self.setup.of(agent).tools.push(tool.tool_value());
        self
    }

    /// Replaces the declared limits of each run of the agent of this name.
    pub fn limits_for(mut self, agent: impl Into<String>, limits: Limits) -> Self {
        self.setup.of(agent).limits = Some(limits);
        self
    }

    /// Sets the messages that the agent of this name begins with. They begin each new session of the agent, and each
    /// call by a parent whose `history_source` is `messages`.
    pub fn messages_for(
        mut self,
        agent: impl Into<String>,
        messages: impl IntoIterator<Item = Message>,
    ) -> Self {
        self.setup.of(agent).messages(messages);
        self
    }

    /// Sets who answers the questions of calls while the run waits, those of children included. Without an answerer, and with
    /// questions that it leaves open, the run pauses ([`RunError::Paused`](crate::RunError::Paused)).
    pub fn answerer(mut self, answerer: impl Answerer) -> Self {
        self.setup.answerer = Some(Arc::new(answerer));
        self
    }

    /// Sets the approver for calls of tools with `approval`. Without one, the
    /// [answerer](Self::answerer) is asked, or the run pauses.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.setup.approver = Some(Arc::new(approver));
        self
    }

    /// Records the content of runs in their spans, those of children included: messages, system prompts, definitions of
    /// tools, arguments, results and the texts of errors. Without this call, spans have names, numbers and ids only, because
    /// content may be confidential. The secrets of the session are redacted in both cases. See
    /// [`AgentBuilder::trace_content`](super::AgentBuilder::trace_content).
    pub fn trace_content(mut self) -> Self {
        self.setup.trace_content = true;
        self
    }

    /// Sets the journal that records the steps of runs. Without one no step is recorded, and no run can be replayed. A run
    /// is continued under its id ([`RunRequest::run_id`](crate::run::RunRequest::run_id)).
    pub fn journal(mut self, journal: impl Journal) -> Self {
        self.setup.journal = Some(Arc::new(journal));
        self
    }

    /// Adds the configuration of a server, for example an `mcp::ServerConfig`. At least one agent has to use the
    /// server, unless [that is allowed](Self::allow_unused). A server that no agent uses is not started.
    pub fn server(mut self, name: impl Into<String>, server: impl IntoToolServer) -> Self {
        self.setup.servers.one(name.into(), server);
        self
    }

    /// Adds the configurations of several servers, for example an `mcp::McpConfig` read from a `.mcp.json`. They
    /// override servers of the same names from earlier calls.
    pub fn servers(mut self, servers: impl ToolServers) -> Self {
        self.setup.servers.several(servers);
        self
    }

    /// Refuses tools of servers that differ from the lock file, for all agents, as `lock: strict` does for one:
    /// [`Lock::Strict`](crate::declaration::Lock::Strict).
    pub fn strict_lock(mut self) -> Self {
        self.setup.servers.be_strict();
        self
    }

    /// Starts the servers and builds all agents.
    ///
    /// Cancel safety: dropping the future kills the servers that were started.
    ///
    /// # Errors
    /// Returns an error if a required part is missing, a server does not start, or the number of entry agents is not
    /// one. An app of one agent needs no `default: true`. Several problems are one error ([`BuildError::Several`]).
    pub async fn build(self) -> Result<App, BuildError> {
        let is_default = |link: &DynAgent| {
            caught(|| link.declare().settings.is_default).map_err(|reason| declaring(link.name(), reason))
        };
        let defaults: Vec<_> = self.links.iter().map(is_default).collect::<Result<_, _>>()?;
        let entries: Vec<_> = (0..self.links.len()).filter(|index| defaults[*index]).collect();
        let names =
            |of: &[usize]| of.iter().map(|index| self.links[*index].name()).collect::<Vec<_>>().join(", ");
        for (index, link) in self.links.iter().enumerate() {
            if self.links[..index].iter().any(|earlier| earlier.name == link.name) {
                return Err(BuildError::TwoAgents { name: link.name().to_owned() });
            }
        }
        let all = || names(&(0..self.links.len()).collect::<Vec<_>>());
        let named = match &self.entry {
            Some(name) => match self.links.iter().position(|link| *link.name == **name) {
                Some(index) => Some(index),
                None => return Err(BuildError::UnknownEntry { name: name.clone(), agents: all() }),
            },
            None => None,
        };
        let entry = match (named, entries.as_slice()) {
            (Some(entry), _) => entry,
            (None, [entry]) => *entry,
            (None, []) if self.links.len() == 1 => 0,
            (None, []) => return Err(BuildError::NoEntry { agents: all() }),
            (None, several) => return Err(BuildError::SeveralEntries { agents: names(several) }),
        };
        let agents = self.setup.build(&self.links).await?;
        Ok(App { agents, entry, initial_message: self.initial_message })
    }

    /// Builds all agents, runs the entry agent once and shuts down the servers.
    ///
    /// Cancel safety: dropping the future ends the run and kills the servers.
    ///
    /// # Errors
    /// Returns an error if the agents cannot be built or the run ends without an answer.
    pub async fn run(self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        let app = self.build().await?;
        let output = app.run(input).await;
        app.shutdown().await;
        output
    }

    /// As [`Self::run`], with the [initial message](Self::initial_message) as the input.
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// As [`Self::run`]; also if the app has no initial message.
    pub async fn begin(self) -> Result<RunOutput, RunError> {
        let app = self.build().await?;
        let output = app.begin().await;
        app.shutdown().await;
        output
    }

    /// Builds all agents and returns the events of one run of the entry agent as a stream; see [`AgentHandle::stream`]. The servers are
    /// killed when the stream has ended or is dropped.
    ///
    /// Cancel safety: dropping the future kills the servers that were started. The run begins when the stream is polled.
    ///
    /// # Errors
    /// Returns an error if the agents cannot be built.
    pub async fn stream(self, input: impl Into<RunInput>) -> Result<RunStream, BuildError> {
        Ok(self.build().await?.stream(input))
    }
}
