//! The declaration of an agent. `agent!` generates it; a hand-written agent builds it.

pub(super) mod call_filter;
mod compiled_declaration;
mod declared_at_run_time;
pub(crate) mod declared_settings;
mod dyn_agent;
mod guardrails;
pub mod outline;

use std::any::type_name;
use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(super) use self::dyn_agent::AgentId;
pub use self::dyn_agent::{DynAgent, RunFn};
use crate::agent::Agent;
use crate::agent::form::answer_form::{AnswerForm, TypedAnswer};
use crate::agent::form::input_form::{InputForm, TypedInput};
use crate::agent::parts::Parts;
use crate::agent::parts::identities::HookType;
use crate::agent::parts::server_pool::ServerUse;
use crate::agent::parts::servers::ToolServers;
use crate::agent::parts::tool_filter::ToolFilter;
use crate::message_hook::MessageHook;
use crate::prompt::{Prompt, PromptPart, PromptText};
use crate::run_hook::RunHook;
use crate::turn_hook::TurnHook;
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::{StateVisitor, VisitSecrets};
use onionskin_tools::model::{BoxModel, Message, Model};
use onionskin_tools::onion::{DynHook, Hook, MadeBy};
use onionskin_tools::state::StateCodec;
use onionskin_tools::tool::{DynTool, Tool, Toolbox, ToolboxLink, Works};
use onionskin_tools::typed::RawHook;

/// The declaration of an agent, as `agent!` writes it from its fields. A hand-written [`Agent`](crate::Agent) returns one
/// from [`declare`](crate::Agent::declare). It has no name: that of the agent is [`Agent::NAME`](crate::Agent::NAME).
///
/// ```
/// use onionskin::{Agent, ScriptedModel, ScriptedTurn, tool};
/// use onionskin::declaration::AgentDeclaration;
/// use serde_json::json;
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// struct Clerk;
///
/// impl Agent for Clerk {
///     const NAME: &'static str = "Clerk";
///     type State = ();
///
///     fn declare() -> AgentDeclaration {
///         AgentDeclaration::new().instruction("Do sums.").tool(add_one::default())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")]);
/// let output = Clerk::builder().model(model).run("41 + 1?").await.unwrap();
/// assert_eq!(output.text, "42");
/// # });
/// ```
#[derive(Default)]
pub struct AgentDeclaration {
    pub(super) parts: Parts,
    pub(super) children: Vec<DynAgent>,
}

/// The states that a hook or a guardrail works on.
pub(super) fn works_on<H, M: MadeBy<H, State: Works>>() -> Vec<StateType> {
    let mut states = Vec::new();
    M::State::on(&mut states);
    states
}

/// Hooks with the states that the compiler has not checked.
impl AgentDeclaration {
    pub(super) fn with_hook<H: Hook>(mut self, hook: H, states: Vec<StateType>) -> Self {
        self.parts.hook_states.push((type_name::<H>(), states));
        self.push_hook(Arc::new(hook));
        self
    }

    /// Adds a hook inside the hooks before it. Hooks of a builder come to the place that the author chose for them: outside all
    /// declared hooks, or at [`dynamic_hooks`](Self::dynamic_hooks).
    pub(super) fn push_hook(&mut self, hook: Arc<dyn DynHook>) {
        if self.parts.changed.is_some() {
            self.parts.hooks.insert(self.parts.outside, hook);
            self.parts.outside += 1;
        } else {
            self.parts.hooks.push(hook);
        }
    }

    /// Adds a hook that sees the calls of the agents below too.
    pub(super) fn with_hook_everywhere(mut self, hook: Arc<dyn DynHook>) -> Self {
        self.parts.reaching.push(Arc::clone(&hook));
        self.push_hook(hook);
        self
    }

    pub(super) fn with_run_hook<H: RunHook>(mut self, hook: H, states: Vec<StateType>) -> Self {
        self.parts.hook_states.push((type_name::<H>(), states));
        self.parts.run_hooks.push(Arc::new(hook));
        self.parts.around.run.push(HookType::of_hook::<H, H::Made>());
        self
    }

    pub(super) fn with_turn_hook<H: TurnHook>(mut self, hook: H, states: Vec<StateType>) -> Self {
        self.parts.hook_states.push((type_name::<H>(), states));
        self.parts.turn_hooks.push(Arc::new(hook));
        self.parts.around.turn.push(HookType::of_hook::<H, H::Made>());
        self
    }

    pub(super) fn with_message_hook<H: MessageHook>(mut self, hook: H, states: Vec<StateType>) -> Self {
        self.parts.hook_states.push((type_name::<H>(), states));
        self.parts.message_hooks.push(Arc::new(hook));
        self.parts.around.message.push(HookType::of_hook::<H, H::Made>());
        self
    }
}

impl AgentDeclaration {
    /// Declares an agent without tools and with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the description. Parents choose a child by it.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.parts.description = Some(text.into());
        self
    }

    /// Sets the instruction: the main part of the system prompt.
    #[must_use]
    pub fn instruction(self, text: impl Into<PromptText>) -> Self {
        self.prompt(Prompt::new().text(PromptPart::Instructions, text))
    }

    /// Sets other parts of the system prompt. Parts from an earlier call stay if this prompt says nothing of them.
    #[must_use]
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        let own = self.parts.changed.as_mut().map_or(&mut self.parts.prompt, |changed| &mut changed.prompt);
        *own = std::mem::take(own).with(prompt);
        self
    }

    /// Uses the tools of a server: an MCP server, or a source of your own ([`servers`](crate::servers)). The filter selects those whose names match one of its patterns, where `*` is any
    /// text; `None` selects all.
    #[must_use]
    pub fn server(mut self, name: impl Into<Arc<str>>, filter: Option<&[&str]>) -> Self {
        let filter = filter.map_or_else(ToolFilter::all, ToolFilter::new);
        self.parts.servers.push(ServerUse { name: name.into(), filter });
        self
    }

    /// Sets the text of a file that keeps what servers offered when the program was written. The runtime does not read it; servers get it
    /// with [`ProviderRequest::snapshot`](crate::servers::ProviderRequest::snapshot), and MCP servers report how they differ from it.
    /// With feature `mcp`, `agent!` sets the `onionskin-mcp.lock.json` of the package, if that file exists.
    #[must_use]
    pub fn server_snapshot(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.parts.server_snapshot = Some(text.into());
        self
    }

    /// Sets the source of servers that the builder does not configure. With feature `mcp`, `agent!` sets the
    /// `.mcp.json` of the working directory.
    #[must_use]
    pub fn default_servers(mut self, servers: impl ToolServers) -> Self {
        self.parts.default_servers = Some(Arc::new(servers));
        self
    }

    /// Adds a tool. All hooks of the agent run around it. An agent with another state than the tool's is not built
    /// ([`BuildError::ToolState`](crate::BuildError::ToolState)).
    #[must_use]
    pub fn tool<T: Tool>(mut self, tool: T) -> Self {
        self.parts.tools.push((T::NAME, Arc::new(tool)));
        self
    }

    /// Uses the tools of a toolbox; the object is provided when the agent is built. A prefix distinguishes several
    /// toolboxes of one type: with `archive`, the tool `search` is called `archive_search`.
    #[must_use]
    pub fn toolbox<T: Toolbox>(mut self, prefix: Option<&str>) -> Self {
        self.parts.toolboxes.push(ToolboxLink::of::<T>(prefix));
        self
    }

    /// Adds a built-in tool. Hooks see the source `runtime`. An agent with another state than the tool's is not built
    /// ([`BuildError::ToolState`](crate::BuildError::ToolState)).
    #[must_use]
    pub fn runtime_tool(mut self, tool: impl DynTool) -> Self {
        self.parts.runtime_tools.push(Arc::new(tool));
        self
    }

    /// Adds a hook inside the dynamic hooks, those that the builder adds. The first one that is added is the outermost. An
    /// agent with another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn hook<H>(self, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: Works>>,
    {
        self.with_hook(hook, works_on::<H, H::Made>())
    }

    /// Adds a hook around each run of the agent ([`run_hooks`](crate::run_hooks)), after those that were added before. An agent with
    /// another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn run_hook<H>(self, hook: H) -> Self
    where
        H: RunHook<Made: MadeBy<H, State: Works>>,
    {
        self.with_run_hook(hook, works_on::<H, H::Made>())
    }

    /// Adds a hook around the turns of the agent ([`turn_hooks`](crate::turn_hooks)), after those that were added before. An agent with
    /// another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn turn_hook<H>(self, hook: H) -> Self
    where
        H: TurnHook<Made: MadeBy<H, State: Works>>,
    {
        self.with_turn_hook(hook, works_on::<H, H::Made>())
    }

    /// Adds a hook on the messages of the agent ([`message_hooks`](crate::message_hooks)), after those that were added before. An agent with
    /// another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn message_hook<H>(self, hook: H) -> Self
    where
        H: MessageHook<Made: MadeBy<H, State: Works>>,
    {
        self.with_message_hook(hook, works_on::<H, H::Made>())
    }

    /// Adds a child agent, which this agent can call as a tool, `agent__` plus its name.
    #[must_use]
    pub fn child<A: Agent>(mut self) -> Self {
        self.children.push(DynAgent::of::<A>());
        self
    }

    /// As [`Self::child`], for an agent that is made at run time.
    #[must_use]
    pub fn dyn_child(mut self, agent: &DynAgent) -> Self {
        self.children.push(agent.clone());
        self
    }

    /// Sets the model that is used if the builder sets none. With feature `genai`, `agent!` sets the provider that the
    /// agent names.
    #[must_use]
    pub fn default_model(mut self, model: impl Model) -> Self {
        self.parts.default_model = Some(BoxModel::new(model));
        self
    }

    /// Sets the type of the input that parents give the agent: the parameters of the agent as a tool are its fields, and the agent gets
    /// the value as JSON. The default is one text. A program that runs the agent gives any text.
    #[must_use]
    pub fn input<T: TypedInput>(mut self) -> Self {
        self.parts.input = Some((HookType::of::<T>(), InputForm::of::<T>));
        self
    }

    /// Sets the type of the answers. The model is asked for it, and again while it does not fit, as
    /// [`RunRequest::run_as`](crate::agent::RunRequest::run_as) says. The text of a run is the answer as JSON, and so is the result of the agent as a
    /// tool. [`TypedAgent`](crate::agent::TypedAgent) gives programs the value.
    ///
    /// An agent with a `response_schema` in its [`request_params`](Self::request_params) beside it is not built
    /// ([`BuildError::TwoAnswerForms`](crate::BuildError::TwoAnswerForms)).
    #[must_use]
    pub fn output<T: TypedAnswer>(mut self) -> Self {
        self.parts.output = Some((HookType::of::<T>(), AnswerForm::of::<T>));
        self
    }

    /// Sets the initial messages of each new session and, as a child, of each call by a parent whose `history_source`
    /// is `messages`. [`AgentBuilder::messages`](crate::agent::AgentBuilder::messages) and [`for_agent`](crate::agent::AgentBuilder::for_agent) replace them.
    #[must_use]
    pub fn messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.parts.messages = messages.into_iter().collect();
        self.parts.changed.iter_mut().for_each(|changed| changed.messages = true);
        self
    }

    /// Declares that code of the agent takes a service of this type with
    /// [`RunContext::provided`](crate::RunContext::provided): its own `run`, or a tool that a server adds after the agent
    /// was built. Tools, hooks and guardrails declare their own services; see [`services`](crate::services).
    #[must_use]
    pub fn takes_service<T: ?Sized + 'static>(mut self) -> Self {
        self.parts.services.add::<T>();
        self
    }

    /// Visits the secrets of the agent's state, which is of type `S`: the secrets of a new session's state, and secrets that an
    /// update brings. A hand-written agent whose state holds a secret calls it. `agent!` does so if the type of the
    /// state implements [`VisitSecrets`](trait@VisitSecrets).
    #[must_use]
    pub fn visit_state<S: VisitSecrets + 'static>(self) -> Self {
        self.state_visitor(Some(StateVisitor::of::<S>()))
    }

    /// Records in a journal how tools change the agent's state, which is of type `S`. A hand-written agent whose tools call
    /// [`State::update`](crate::State::update) calls it. `agent!` does so if the type of the state implements serde's two
    /// traits. Without it, a run with a journal ends at the first such change
    /// ([`JournalErrorKind::Unrecordable`](crate::journal::JournalErrorKind::Unrecordable)).
    ///
    /// ```
    /// use onionskin::declaration::AgentDeclaration;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Clone, Serialize, Deserialize)]
    /// struct Ledger {
    ///     cents: u64,
    /// }
    ///
    /// let clerk = AgentDeclaration::new().instruction("Take money.").record_state::<Ledger>();
    /// # let _ = clerk;
    /// ```
    #[must_use]
    pub fn record_state<S: Serialize + DeserializeOwned + Send + Sync + 'static>(self) -> Self {
        self.state_codec(Some(StateCodec::of::<S>()))
    }
}
