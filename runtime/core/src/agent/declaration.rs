//! What is declared of an agent. `agent!` writes it down; a hand-written agent builds it.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::servers::ToolServers;
use super::{Agent, AgentRun, RunError};
use crate::context::DynCall;
use crate::context::State;
use crate::definition::Effect;
use crate::model::{DynModel, Message, Model, RequestParams};
use crate::onion::{Call, Core, Definitions, DynHook, RuntimeHooks};
use crate::tool::{DynTool, Tool, Toolbox, ToolboxLink};
use crate::typed::RawHook;

/// What a child starts with when its parent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistorySource {
    /// Nothing.
    #[default]
    None,
    /// What earlier calls in this session left in the child's own history.
    Child,
    /// The history of the parent.
    Orchestrator,
    /// The messages that the child was built with ([`AgentBuilder::messages_for`](super::AgentBuilder::messages_for)).
    Messages,
}

/// Where a child's conversation goes when its call is over. Merges happen in call order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HistoryMergeTarget {
    /// Nowhere.
    #[default]
    None,
    /// Into the child's own history in this session.
    Child,
    /// Into the parent's history.
    Orchestrator,
}

/// Bounds of one run. Each counts per run; a child's run counts its own.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Model turns. Default 50.
    pub turns: u32,
    /// Tool calls. Default: no limit.
    pub tool_calls: Option<u32>,
    /// Tokens read and written. Default: no limit.
    pub tokens: Option<u64>,
    /// Time from start to answer. Default: no limit.
    pub time: Option<Duration>,
    /// How deep the run may be inside of others: 1 is a run that nobody's tool, hook or child began. Default 16. A task that a
    /// tool spawns begins anew.
    pub depth: u32,
    /// How often one tool may ask the model to try again. Default 3.
    pub max_retries: u32,
    /// Time for one answer of the model. Default 5 minutes.
    pub model_timeout: Duration,
    /// How often a model request is repeated after a transient error. Default 2.
    pub model_retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 50,
            tool_calls: None,
            tokens: None,
            time: None,
            depth: 16,
            max_retries: 3,
            model_timeout: Duration::from_mins(5),
            model_retries: 2,
        }
    }
}

/// So many instances of an agent that is called are shown where nothing else is said.
pub(super) const DISPLAY_INSTANCES: usize = 20;

/// Everything that is declared of an agent.
pub struct AgentDeclaration {
    pub(crate) name: &'static str,
    pub(crate) description: Option<String>,
    pub(crate) instruction: String,
    pub(crate) servers: Vec<ServerUse>,
    pub(crate) default_servers: Option<Arc<dyn ToolServers>>,
    pub(crate) runtime_tools: Vec<Arc<dyn DynTool>>,
    pub(crate) tools: Vec<(&'static str, Arc<dyn DynTool>)>,
    pub(crate) toolboxes: Vec<ToolboxLink>,
    pub(crate) hooks: Vec<Arc<dyn DynHook>>,
    /// The tools that filters of hooks name and that only a built agent can have: the hook and the tool.
    pub(crate) filter_names: Vec<(&'static str, &'static str)>,
    pub(crate) onion: Option<OnionBuilder>,
    pub(crate) children: Vec<ChildLink>,
    pub(crate) is_default: bool,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) default_model: Option<Arc<dyn DynModel>>,
    pub(crate) params: RequestParams,
    pub(crate) limits: Limits,
    pub(crate) history_source: HistorySource,
    pub(crate) history_merge_target: HistoryMergeTarget,
    pub(crate) max_parallel: Option<usize>,
    pub(crate) child_timeout: Option<Duration>,
    pub(crate) max_display_instances: usize,
    pub(crate) effect: Effect,
    pub(crate) messages: Vec<Message>,
}

/// One server that an agent uses, and which of its tools.
#[derive(Debug, Clone)]
pub(crate) struct ServerUse {
    pub(crate) name: &'static str,
    /// Globs over tool names; none lets every tool through.
    pub(crate) filter: Option<&'static [&'static str]>,
}

/// Makes an agent's onion around its run-time hooks.
pub(crate) type OnionBuilder = fn(RuntimeHooks) -> Onion;

/// A compiled onion.
#[doc(hidden)]
pub struct Onion {
    pub(crate) entry: Arc<dyn DynCall>,
    pub(crate) core: Arc<dyn DynCall>,
    pub(crate) definitions: Definitions,
}

impl Onion {
    pub fn new<C: Call>(core: &Arc<impl Core>, entry: C) -> Self {
        let definitions = core.definitions();
        Self { entry: Arc::new(entry), core: Arc::clone(core) as _, definitions }
    }
}

/// A child agent, by type.
#[doc(hidden)]
#[derive(Clone)]
pub struct ChildLink {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
    pub(crate) declare: fn() -> AgentDeclaration,
    pub(crate) run: RunFn,
    pub(crate) state: StateType,
}

/// The state that an agent wants.
#[derive(Clone, Copy)]
pub(crate) struct StateType {
    pub(crate) id: TypeId,
    /// That of `State<S>`, as tools and hooks take it.
    pub(crate) injected: TypeId,
    pub(crate) name: &'static str,
}

impl StateType {
    pub(crate) fn of<A: Agent>() -> Self {
        Self {
            id: TypeId::of::<A::State>(),
            injected: TypeId::of::<State<A::State>>(),
            name: std::any::type_name::<A::State>(),
        }
    }

    /// Whether it is `()`: the agent has no state.
    pub(crate) fn is_none(&self) -> bool {
        self.id == TypeId::of::<()>()
    }
}

pub(crate) type RunFn = for<'a> fn(&'a AgentRun, String) -> BoxFuture<'a, Result<String, RunError>>;

impl ChildLink {
    pub fn of<A: Agent>() -> Self {
        Self {
            id: TypeId::of::<A>(),
            name: A::NAME,
            declare: A::declare,
            run: |run, input| Box::pin(A::run(run, input)),
            state: StateType::of::<A>(),
        }
    }

    pub(crate) fn is_default(&self) -> bool {
        (self.declare)().is_default
    }
}

impl AgentDeclaration {
    /// An agent of this name.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            description: None,
            instruction: String::new(),
            servers: Vec::new(),
            default_servers: None,
            runtime_tools: Vec::new(),
            tools: Vec::new(),
            toolboxes: Vec::new(),
            hooks: Vec::new(),
            filter_names: Vec::new(),
            onion: None,
            children: Vec::new(),
            is_default: false,
            model: None,
            default_model: None,
            params: RequestParams::default(),
            limits: Limits::default(),
            history_source: HistorySource::default(),
            history_merge_target: HistoryMergeTarget::default(),
            max_parallel: None,
            child_timeout: None,
            max_display_instances: DISPLAY_INSTANCES,
            effect: Effect::Once,
            messages: Vec::new(),
        }
    }

    /// What the agent is for: parents choose by it.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// The system prompt.
    #[must_use]
    pub fn instruction(mut self, text: impl Into<String>) -> Self {
        self.instruction = text.into();
        self
    }

    /// Uses an MCP server; a filter of globs chooses among its tools.
    #[must_use]
    pub fn server(mut self, name: &'static str, filter: Option<&'static [&'static str]>) -> Self {
        self.servers.push(ServerUse { name, filter });
        self
    }

    /// Where servers are looked for that the builder does not configure. `agent!` sets the `.mcp.json` of the working directory,
    /// with feature `mcp`.
    #[must_use]
    pub fn default_servers(mut self, servers: impl ToolServers) -> Self {
        self.default_servers = Some(Arc::new(servers));
        self
    }

    /// Adds a tool that is known at run time only.
    #[must_use]
    pub fn tool<T: Tool>(mut self, tool: T) -> Self {
        self.tools.push((T::NAME, Arc::new(tool)));
        self
    }

    /// Uses the tools of a toolbox, which is given when the agent is built. A prefix tells several of one type
    /// apart: with `archive`, the tool `search` is called `archive_search`.
    #[must_use]
    pub fn toolbox<T: Toolbox>(self, prefix: Option<&'static str>) -> Self {
        self.toolbox_link(T::link(prefix))
    }

    #[doc(hidden)]
    #[must_use]
    pub fn toolbox_link(mut self, link: ToolboxLink) -> Self {
        self.toolboxes.push(link);
        self
    }

    /// Adds a built-in tool.
    #[must_use]
    pub fn runtime_tool(mut self, tool: impl DynTool) -> Self {
        self.runtime_tools.push(Arc::new(tool));
        self
    }

    /// Adds a hook inside the ones that are added when the agent is built.
    #[must_use]
    pub fn hook(mut self, hook: impl RawHook) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// Notes that the filter of a hook names a tool, which is looked for when the agent is built.
    #[doc(hidden)]
    #[must_use]
    pub fn filter_names(mut self, hook: &'static str, tool: &'static str) -> Self {
        self.filter_names.push((hook, tool));
        self
    }

    /// Adds a child agent, which this one can call as a tool.
    #[must_use]
    pub fn child<A: Agent>(self) -> Self {
        self.child_link(A::link())
    }

    #[doc(hidden)]
    #[must_use]
    pub fn child_link(mut self, link: ChildLink) -> Self {
        self.children.push(link);
        self
    }

    /// Makes it the entry of an [`App`](super::App).
    #[must_use]
    pub fn default_agent(mut self, is_default: bool) -> Self {
        self.is_default = is_default;
        self
    }

    /// The model's name, for providers with several.
    #[must_use]
    pub fn model(mut self, name: &str) -> Self {
        self.model = Some(name.into());
        self
    }

    /// The model that is asked where the builder is given none. `agent!` sets the provider's that it names, with feature
    /// `genai`.
    #[must_use]
    pub fn default_model(mut self, model: impl Model) -> Self {
        self.default_model = Some(Arc::new(model));
        self
    }

    /// Sampling and the like.
    #[must_use]
    pub fn request_params(mut self, params: RequestParams) -> Self {
        self.params = params;
        self
    }

    /// Bounds of one run.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The messages that it begins with: each new session, and as a child each call of a parent whose `history_source` is
    /// `messages`. [`AgentBuilder::messages`](super::AgentBuilder::messages) and `messages_for` take their place.
    #[must_use]
    pub fn messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.messages = messages.into_iter().collect();
        self
    }

    /// What its children start with.
    #[must_use]
    pub fn history_source(mut self, source: HistorySource) -> Self {
        self.history_source = source;
        self
    }

    /// Where its children's conversations go.
    #[must_use]
    pub fn history_merge_target(mut self, target: HistoryMergeTarget) -> Self {
        self.history_merge_target = target;
        self
    }

    /// How many tool calls of a run go on at once, those that an agent by hand makes included. 0 is refused when the
    /// agent is built.
    #[must_use]
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.max_parallel = Some(calls);
        self
    }

    /// How long a child may run. Zero is refused when the agent is built.
    #[must_use]
    pub fn child_timeout(mut self, timeout: Duration) -> Self {
        self.child_timeout = Some(timeout);
        self
    }

    /// How many instances of a child are shown to people. 0 is refused when the agent is built.
    #[must_use]
    pub fn max_display_instances(mut self, instances: usize) -> Self {
        self.max_display_instances = instances;
        self
    }

    /// Whether it may be asked again where it is called as a tool and failed. [`Effect::Once`] if nothing is said: its tools
    /// may have done something before it failed, so no retry asks it again.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// The compiled onion.
    #[doc(hidden)]
    #[must_use]
    pub fn onion(mut self, onion: fn(RuntimeHooks) -> Onion) -> Self {
        self.onion = Some(onion);
        self
    }
}
