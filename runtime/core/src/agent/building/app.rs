//! An `App` holds several agents of one program.

use std::sync::Arc;

use onionskin_definitions::setters;
use onionskin_tools::event::RunOutput;
use onionskin_tools::onion::caught;

use crate::agent::Agent;
use crate::agent::callers::handle::AgentHandle;
use crate::agent::callers::stream::RunStream;
use crate::agent::declaration::DynAgent;
use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::run_hook::RunInput;

use super::builder::AgentBuilder;

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
    /// Creates a builder of an app without agents.
    pub fn builder() -> AppBuilder {
        AppBuilder::default()
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

    /// The input of [`App::begin`], set with [`AppBuilder::initial_message`].
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
            None => Err(RunError::NoInput { agent: Arc::clone(&self.entry().0.instance.name) }),
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

/// Builds an [`App`]. Created by [`App::builder`].
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
pub type AppBuilder = AgentBuilder<App>;

impl AgentBuilder<App> {
    /// Adds an agent with its children. Add a child itself only to find it by name.
    pub fn agent<A: Agent>(mut self) -> Self {
        self.setup.entries.push(DynAgent::from_type::<A>());
        self
    }

    /// As [`Self::agent`], for an agent created at run time.
    pub fn dyn_agent(mut self, agent: &DynAgent) -> Self {
        self.setup.entries.push(agent.clone());
        self
    }

    setters! {
        /// Allows services, states, toolboxes and servers that no agent uses, also services of requests. They are
        /// errors otherwise. Use it for agents whose declarations come from outside the program, such as cards:
        /// `LoadedCards::add_to` calls it.
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
        allow_unused() => setup.allows_unused = true;

        /// Makes the agent of this name the entry agent, regardless of `default: true`.
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
        entry(agent: impl Into<String>) => app.entry = Some(agent.into());

        /// Sets the input of [`App::begin`].
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
        initial_message(text: impl Into<Arc<str>>) => app.initial_message = Some(text.into());
    }

    /// Starts the servers and builds all agents.
    ///
    /// Cancel safety: dropping the future kills the servers that were started.
    ///
    /// # Errors
    /// Returns an error if a required part is missing, a server does not start, or the number of entry agents is not
    /// one. An app of one agent needs no `default: true`. Several problems are one error ([`BuildError::Several`]).
    pub async fn build(self) -> Result<App, BuildError> {
        let entry = self.entry_index()?;
        let agents = self.setup.build().await?;
        Ok(App { agents, entry, initial_message: self.app.initial_message })
    }

    fn entry_index(&self) -> Result<usize, BuildError> {
        let agents = &self.setup.entries;
        let names = |indices: &[usize]| {
            indices.iter().map(|index| agents[*index].name()).collect::<Vec<_>>().join(", ")
        };
        let mut defaults = Vec::new();
        for (index, agent) in agents.iter().enumerate() {
            if agents[..index].iter().any(|earlier| earlier.name == agent.name) {
                return Err(BuildError::TwoAgents { name: agent.name().to_owned() });
            }
            let is_default = caught(|| agent.declare().parts.settings.is_default);
            if is_default.map_err(|reason| BuildError::declaring(agent.name(), reason))? {
                defaults.push(index);
            }
        }
        let all: Vec<_> = (0..agents.len()).collect();
        if let Some(name) = &self.app.entry {
            let named = agents.iter().position(|agent| *agent.name == **name);
            let agents = names(&all);
            let mistake = format!("the app has no agent `{name}` for its entry; its agents are: {agents}");
            return named.ok_or(BuildError::Entry { mistake });
        }
        let mistake = match (&*defaults, &*all) {
            ([entry], _) | ([], [entry]) => return Ok(*entry),
            ([], _) => format!(
                "the app has no entry agent: write `default: true` in one of its agents ({})",
                names(&all)
            ),
            (several, _) => format!(
                "several agents of the app have `default: true`: {}; only one can be the entry",
                names(several)
            ),
        };
        Err(BuildError::Entry { mistake })
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
