//! Several agents in one program.

use std::sync::Arc;

use super::Agent;
use super::declaration::{ChildLink, Limits};
use super::error::{BuildError, RunError};
use super::handle::AgentHandle;
use super::servers::{IntoToolServer, ToolServers};
use super::setup::Setup;
use super::stream::RunStream;
use crate::approval::Approver;
use crate::event::RunOutput;
use crate::journal::Journal;
use crate::model::{Message, Model};
use crate::onion::Hook;
use crate::onion::MadeBy;
use crate::secret::{Secret, Sensitive};
use crate::spec::ToolValue;
use crate::tool::SharedToolbox;
use crate::typed::RawHook;

/// Several agents in one program. The one with `default: true` is the entry.
#[derive(Debug)]
pub struct App {
    agents: Vec<AgentHandle>,
    entry: usize,
}

impl App {
    /// An app without agents.
    pub fn builder() -> AppBuilder {
        AppBuilder { setup: Setup::default(), links: Vec::new() }
    }

    /// The entry.
    pub fn entry(&self) -> &AgentHandle {
        &self.agents[self.entry]
    }

    /// An agent by name.
    ///
    /// # Errors
    /// If the app has no such agent; the error lists those it has.
    pub fn agent(&self, name: &str) -> Result<&AgentHandle, RunError> {
        self.agents.iter().find(|agent| agent.name() == name).ok_or_else(|| RunError::UnknownAgent {
            name: name.to_owned(),
            known: self.agents.iter().map(AgentHandle::name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The names of the agents.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(AgentHandle::name)
    }

    /// Asks the entry.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn run(&self, input: impl Into<String>) -> Result<RunOutput, RunError> {
        self.entry().run(input).await
    }

    /// Asks the entry and gives the events as they come.
    pub fn stream(&self, input: impl Into<String>) -> RunStream {
        self.entry().stream(input)
    }

    /// Ends the MCP servers gracefully.
    pub async fn shutdown(self) {
        if let Some(agent) = self.agents.into_iter().next() {
            agent.shutdown().await;
        }
    }
}

/// Builds an [`App`].
#[must_use = "a builder does nothing until it is built"]
pub struct AppBuilder {
    setup: Setup,
    links: Vec<ChildLink>,
}

impl AppBuilder {
    /// Adds an agent. Its children need not be added, but may, to be called by name.
    pub fn agent<A: Agent>(mut self) -> Self {
        self.links.push(ChildLink::of::<A>());
        self
    }

    /// Asks this model, for all agents.
    pub fn model(mut self, model: impl Model) -> Self {
        self.setup.model = Some(Arc::new(model));
        self
    }

    /// The state that each new session begins with, for the agents whose state is of this type.
    pub fn state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        self.setup.state(state);
        self
    }

    /// Tells all sessions of a secret, as [`AgentBuilder::conceal`](super::AgentBuilder::conceal).
    pub fn conceal<T: Sensitive>(mut self, secret: &Secret<T>) -> Self {
        self.setup.conceal(secret);
        self
    }

    /// Gives the agents a toolbox that they name in `toolboxes: [..]`.
    pub fn toolbox(mut self, toolbox: impl SharedToolbox) -> Self {
        self.setup.toolbox(None, &toolbox.share());
        self
    }

    /// As [`Self::toolbox`], for one that they name with a prefix: `toolboxes: [archive: Kb]`.
    pub fn toolbox_as(mut self, prefix: &'static str, toolbox: impl SharedToolbox) -> Self {
        self.setup.toolbox(Some(prefix), &toolbox.share());
        self
    }

    /// Adds a hook to the agent of this name, a child for example, as [`AgentBuilder::hook`](super::AgentBuilder::hook) does.
    /// That the hook works on the agent's state is seen when it is built.
    pub fn hook_for<H>(mut self, agent: impl Into<String>, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: 'static>>,
    {
        self.setup.of(agent).unchecked_hook(hook);
        self
    }

    /// Adds a tool to the agent of this name, as [`AgentBuilder::tool`](super::AgentBuilder::tool) does.
    pub fn tool_for(mut self, agent: impl Into<String>, tool: impl ToolValue) -> Self {
        self.setup.of(agent).tools.push(tool.tool_value());
        self
    }

    /// Bounds of one run of the agent of this name, in place of the declared ones.
    pub fn limits_for(mut self, agent: impl Into<String>, limits: Limits) -> Self {
        self.setup.of(agent).limits = Some(limits);
        self
    }

    /// The messages that the agent of this name begins with: each call of a parent whose `history_source` is `messages`, and
    /// each new session of its own.
    pub fn messages_for(
        mut self,
        agent: impl Into<String>,
        messages: impl IntoIterator<Item = Message>,
    ) -> Self {
        self.setup.of(agent).messages(messages);
        self
    }

    /// Who approves calls of tools with `approval`. Without one they are refused.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.setup.approver = Some(Arc::new(approver));
        self
    }

    /// Records steps here.
    pub fn journal(mut self, journal: impl Journal) -> Self {
        self.setup.journal = Some(Arc::new(journal));
        self
    }

    /// Configures a server: an `mcp::ServerConfig`, for example. An agent has to use it.
    pub fn server(mut self, name: impl Into<String>, server: impl IntoToolServer) -> Self {
        self.setup.servers.one(name.into(), server);
        self
    }

    /// Configures servers: an `mcp::McpConfig`, for example, with those of a `.mcp.json`. They go before the servers of an
    /// earlier call that have the same names.
    pub fn servers(mut self, servers: impl ToolServers) -> Self {
        self.setup.servers.several(servers);
        self
    }

    /// Starts the servers and builds all agents.
    ///
    /// # Errors
    /// If something is missing, a server does not start, or there is not just one entry.
    pub async fn build(self) -> Result<App, BuildError> {
        let entries: Vec<_> = (0..self.links.len()).filter(|index| self.links[*index].is_default()).collect();
        let names =
            |of: &[usize]| of.iter().map(|index| self.links[*index].name).collect::<Vec<_>>().join(", ");
        for (index, link) in self.links.iter().enumerate() {
            if self.links[..index].iter().any(|earlier| earlier.name == link.name) {
                return Err(BuildError::TwoAgents { name: link.name.to_owned() });
            }
        }
        let entry = match entries.as_slice() {
            [entry] => *entry,
            [] if self.links.len() == 1 => 0,
            [] => {
                return Err(BuildError::NoEntry {
                    agents: names(&(0..self.links.len()).collect::<Vec<_>>()),
                });
            }
            several => return Err(BuildError::SeveralEntries { agents: names(several) }),
        };
        let agents = self.setup.build(&self.links).await?;
        Ok(App { agents, entry })
    }
}
