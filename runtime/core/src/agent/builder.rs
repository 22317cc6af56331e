//! What a program says to have an agent built.

use std::marker::PhantomData;
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
use crate::tool::block_on;
use crate::tool::{FitsState, SharedToolbox};
use crate::typed::RawHook;

/// Builds an agent: gives it a model, a state, servers and run-time hooks.
#[must_use = "a builder does nothing until it is built"]
pub struct AgentBuilder<A> {
    setup: Setup,
    agent: PhantomData<fn() -> A>,
}

impl<A: Agent> Default for AgentBuilder<A> {
    fn default() -> Self {
        Self { setup: Setup::default(), agent: PhantomData }
    }
}

impl<A: Agent> AgentBuilder<A> {
    /// Asks this model, for the agent and its children.
    pub fn model(mut self, model: impl Model) -> Self {
        self.setup.model = Some(Arc::new(model));
        self
    }

    /// The state that each new session begins with. Children with a state of another type need theirs as
    /// well: call it once for each type.
    pub fn state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        self.setup.state(state);
        self
    }

    /// Tells all sessions of a secret, as [`ToolContext::conceal`](crate::ToolContext::conceal) tells one: for those that a
    /// toolbox, a model or a tool that is written by hand holds by itself. What the state owns needs no mention.
    pub fn conceal<T: Sensitive>(mut self, secret: &Secret<T>) -> Self {
        self.setup.conceal(secret);
        self
    }

    /// Gives the agent, and its children, a toolbox that they name in `toolboxes: [..]`.
    pub fn toolbox(mut self, toolbox: impl SharedToolbox) -> Self {
        self.setup.toolbox(None, &toolbox.share());
        self
    }

    /// As [`Self::toolbox`], for one that they name with a prefix: `toolboxes: [archive: Kb]`.
    pub fn toolbox_as(mut self, prefix: &'static str, toolbox: impl SharedToolbox) -> Self {
        self.setup.toolbox(Some(prefix), &toolbox.share());
        self
    }

    /// Adds a run-time hook around the agent's declared ones (or at the `..` in its `tool_hooks`); hooks
    /// that are added first stand outermost. A `#[tool_hook]` function's hook is made with `new`:
    /// `.hook(audit::new())`, `.hook(hooks::retry::new(3))`.
    pub fn hook<H>(mut self, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: FitsState<A::State>>>,
    {
        self.setup.own.hook(hook);
        self
    }

    /// Adds a tool that is known at run time only, behind all hooks of the agent. Its bound parameters are filled from
    /// the tool's own [`state`](crate::ToolSpec::state), its `State<S>` from the agent's.
    pub fn tool(mut self, tool: impl ToolValue) -> Self {
        self.setup.own.tools.push(tool.tool_value());
        self
    }

    /// Bounds of one run, in place of the declared ones.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.setup.own.limits = Some(limits);
        self
    }

    /// The messages that each new session of the agent begins with. Its children get theirs by
    /// [`Self::messages_for`].
    pub fn messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.setup.own.messages(messages);
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

    /// Who approves calls of tools with `approval`, those of children included. Without one they are refused.
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

    /// Starts the servers and builds the agent and its children.
    ///
    /// # Errors
    /// If something is missing or a server does not start; the error names the agent and the next step.
    pub async fn build(self) -> Result<AgentHandle, BuildError> {
        let mut handles = self.setup.build(&[ChildLink::of::<A>()]).await?;
        Ok(handles.swap_remove(0))
    }

    /// Builds the agent, asks it once and ends its servers.
    ///
    /// # Errors
    /// If it cannot be built or has no answer.
    pub async fn run(self, input: impl Into<String>) -> Result<RunOutput, RunError> {
        let handle = self.build().await?;
        let output = handle.run(input).await;
        handle.shutdown().await;
        output
    }

    /// Builds the agent, asks it once and gives the events as they come.
    ///
    /// # Errors
    /// If it cannot be built.
    pub async fn stream(self, input: impl Into<String>) -> Result<RunStream, BuildError> {
        Ok(self.build().await?.stream(input))
    }

    /// As [`Self::run`], for programs that are not async: it works inside and outside of a runtime.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_blocking(self, input: impl Into<String>) -> Result<RunOutput, RunError> {
        let input = input.into();
        block_on(move || Box::pin(self.run(input))).unwrap_or_else(|error| {
            Err(RunError::Agent { agent: A::NAME.into(), reason: format!("no thread for it: {error}") })
        })
    }
}
