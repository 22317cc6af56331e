//! The declaration of an agent. `agent!` generates it; a hand-written agent builds it. And agents as values, which a declaration names as
//! children and which have one.

use std::any::{TypeId, type_name};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer_form::{AnswerForm, TypedAnswer};
use super::compiled_hook::{CompiledHook, Concerns};
use super::declared_guardrail::DeclaredGuardrail;
use super::identities::{Around, FilterWord, HookType};
use super::input_form::{InputForm, TypedInput};
use super::server_pool::ServerUse;
use super::servers::ToolServers;
use super::settings::Settings;
use super::tool_filter::ToolFilter;
use super::worded::Worded;
use super::{Agent, AgentRun, RunError};
use crate::context::DynCall;
use crate::message_hook::{DynMessageHook, MessageHook};
use crate::model::{BoxModel, Message, Model};
use crate::onion::{Call, Core, Definitions, DynHook, Hook, MadeBy, RuntimeHooks, StateOf, caught};
use crate::policy::{DynInputGuardrail, DynOutputGuardrail};
use crate::prompt::{Prompt, PromptPart, PromptText};
use crate::run_hook::{DynRunHook, RunHook};
use crate::services::ServiceTypes;
use crate::spec::ToolSpec;
use crate::state::StateCodec;
use crate::tool::{DynTool, Tool, Toolbox, ToolboxLink, Works};
use crate::turn_hook::{DynTurnHook, TurnHook};
use crate::typed::RawHook;
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::{StateVisitor, VisitSecrets};

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
pub struct AgentDeclaration {
    pub(crate) description: Option<String>,
    pub(crate) prompt: Prompt,
    pub(crate) servers: Vec<ServerUse>,
    pub(crate) server_snapshot: Option<Cow<'static, str>>,
    pub(crate) default_servers: Option<Arc<dyn ToolServers>>,
    pub(crate) runtime_tools: Vec<Arc<dyn DynTool>>,
    pub(crate) tools: Vec<(&'static str, Arc<dyn DynTool>)>,
    pub(crate) worded: Worded,
    pub(crate) toolboxes: Vec<ToolboxLink>,
    /// Tools that are values, behind the other ones.
    pub(crate) specs: Vec<ToolSpec>,
    pub(crate) hooks: Vec<Arc<dyn DynHook>>,
    /// Those of them that see the calls of the agents below too.
    pub(crate) reaching: Vec<Arc<dyn DynHook>>,
    /// The number of these hooks that are outside of the builder's.
    pub(crate) outside: usize,
    pub(crate) input_guardrails: Vec<DeclaredGuardrail<dyn DynInputGuardrail>>,
    pub(crate) output_guardrails: Vec<DeclaredGuardrail<dyn DynOutputGuardrail>>,
    /// One of them whose filter is for hooks only.
    pub(crate) guardrail_everywhere: Option<&'static str>,
    pub(crate) run_hooks: Vec<Arc<dyn DynRunHook>>,
    pub(crate) turn_hooks: Vec<Arc<dyn DynTurnHook>>,
    pub(crate) message_hooks: Vec<Arc<dyn DynMessageHook>>,
    /// The types of these three.
    pub(crate) around: Around,
    /// The states that the hooks work on, by the hook's type.
    pub(crate) hook_states: Vec<(&'static str, Vec<StateType>)>,
    /// Those of hooks that see the calls of the agents below too.
    pub(crate) reaching_states: Vec<(&'static str, Vec<StateType>)>,
    /// Names in filters of hooks that only a built agent can resolve, as pairs of hook and tool.
    pub(crate) filter_names: Vec<(&'static str, Cow<'static, str>)>,
    pub(crate) onion: Option<OnionBuilder>,
    /// Whether `agent!` has a function that runs the agent.
    pub(crate) runs_itself: bool,
    /// The compiled hooks, outermost first.
    pub(crate) compiled_hooks: Vec<CompiledHook>,
    /// The number of compiled hooks outside of the dynamic ones.
    pub(crate) seam: usize,
    /// The services that the agent's own code takes.
    pub(crate) services: ServiceTypes,
    pub(crate) state_visitor: Option<StateVisitor>,
    pub(crate) state_codec: Option<StateCodec>,
    pub(crate) children: Vec<DynAgent>,
    pub(crate) default_model: Option<BoxModel>,
    pub(crate) settings: Settings,
    /// Makes the type of the input.
    pub(crate) input: Option<fn() -> InputForm>,
    pub(crate) input_type: Option<HookType>,
    /// Makes the type of the answer.
    pub(crate) output: Option<fn() -> AnswerForm>,
    pub(crate) output_type: Option<HookType>,
    pub(crate) messages: Vec<Message>,
    /// The text in an answer that ends a run.
    pub(crate) until: Option<Arc<str>>,
}

/// Builds an agent's onion around its dynamic hooks.
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

/// An agent as a value: one that is made at run time, such as from a file, or an [`Agent`] among such ones.
/// [`AppBuilder::dyn_agent`](super::AppBuilder::dyn_agent) runs it, and [`AgentDeclaration::dyn_child`] gives it to a parent.
///
/// Clones are the same agent: an agent that several others call is built once.
///
/// ```
/// use onionskin::declaration::{AgentDeclaration, DynAgent};
/// use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! { Clerk { instruction: "Answer.", description: "Answers questions." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let clerk = DynAgent::of::<Clerk>();
/// let text = "Ask the clerk.".to_owned();
/// let desk = DynAgent::new("Desk", move || AgentDeclaration::new().instruction(text.clone()).dyn_child(&clerk));
///
/// let asks = ScriptedTurn::call("agent__Clerk", json!({ "input": "Hello?" }));
/// let model = ScriptedModel::new()
///     .agent("Desk", [asks, ScriptedTurn::say("{last}")])
///     .agent("Clerk", [ScriptedTurn::say("Good morning.")]);
/// let app = App::builder().dyn_agent(&desk).model(model).build().await.unwrap();
/// assert_eq!(app.run("Say hello.").await.unwrap().text, "Good morning.");
/// # });
/// ```
#[derive(Clone)]
pub struct DynAgent {
    pub(super) id: AgentId,
    pub(super) name: Arc<str>,
    declare: Declare,
    pub(super) run: RunFn,
    pub(super) state: StateType,
}

/// What tells agents apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum AgentId {
    Type(TypeId),
    /// The number of an agent that was made at run time.
    Made(u64),
}

#[derive(Clone)]
enum Declare {
    Type(fn() -> AgentDeclaration),
    Made(Arc<dyn Fn() -> AgentDeclaration + Send + Sync>),
}

/// [`Agent::run`] of an agent, as a value: `|run, input| Box::pin(plan(run, input))`.
pub type RunFn = for<'a> fn(&'a AgentRun, String) -> BoxFuture<'a, Result<String, RunError>>;

impl DynAgent {
    /// Makes an agent that runs the loop of model turns and tool calls. `declare` is called each time the agent is built; its parts, and
    /// the name, are checked then.
    pub fn new(
        name: impl Into<Arc<str>>,
        declare: impl Fn() -> AgentDeclaration + Send + Sync + 'static,
    ) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Self {
            id: AgentId::Made(MADE.fetch_add(1, Ordering::Relaxed)),
            name: name.into(),
            declare: Declare::Made(Arc::new(declare)),
            run: |run, input| Box::pin(run.converse(input)),
            state: StateType::of::<()>(),
        }
    }

    /// The agent that is this type.
    pub fn of<A: Agent>() -> Self {
        Self {
            id: AgentId::Type(TypeId::of::<A>()),
            name: A::NAME.into(),
            declare: Declare::Type(A::declare),
            run: |run, input| Box::pin(A::run(run, input)),
            state: StateType::of::<A::State>(),
        }
    }

    /// Sets the type of the agent's state; without it, an agent that is made at run time has none.
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, DynAgent};
    /// use onionskin::{App, ScriptedModel, ScriptedTurn, State, tool};
    /// use serde_json::json;
    ///
    /// /// Counts the lamps in stock.
    /// #[tool]
    /// fn count(lamps: State<u32>) -> u32 {
    ///     *lamps
    /// }
    ///
    /// let desk = DynAgent::new("Desk", || AgentDeclaration::new().instruction("Sell.").tool(count::default())).with_state::<u32>();
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last} left.")]);
    /// let app = App::builder().dyn_agent(&desk).model(model).state(3_u32).build().await.unwrap();
    /// assert_eq!(app.run("How many?").await.unwrap().text, "3 left.");
    /// # });
    /// ```
    #[must_use]
    pub fn with_state<S: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.state = StateType::of::<S>();
        self
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the agent has `default: true`. One whose declaration panics has not; building it is an error.
    ///
    /// ```
    /// use onionskin::agent;
    /// use onionskin::declaration::DynAgent;
    ///
    /// agent! { Clerk { default: true, instruction: "Answer." } }
    ///
    /// assert!(DynAgent::of::<Clerk>().is_default());
    /// ```
    pub fn is_default(&self) -> bool {
        caught(|| self.declare().settings.is_default).unwrap_or_default()
    }

    /// The agent's declaration.
    ///
    /// # Panics
    /// Panics if the program's code does that declares it.
    pub(super) fn declare(&self) -> AgentDeclaration {
        match &self.declare {
            Declare::Type(declare) => declare(),
            Declare::Made(declare) => declare(),
        }
    }
}

/// Clones of an agent are equal, and so are values of one [`Agent`].
impl PartialEq for DynAgent {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for DynAgent {}

impl fmt::Debug for DynAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynAgent").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Default for AgentDeclaration {
    fn default() -> Self {
        Self::new()
    }
}

impl AgentDeclaration {
    /// Declares an agent without tools and with the default limits.
    pub fn new() -> Self {
        Self {
            description: None,
            prompt: Prompt::new(),
            servers: Vec::new(),
            server_snapshot: None,
            default_servers: None,
            runtime_tools: Vec::new(),
            tools: Vec::new(),
            worded: Worded::default(),
            toolboxes: Vec::new(),
            specs: Vec::new(),
            hooks: Vec::new(),
            reaching: Vec::new(),
            outside: 0,
            input_guardrails: Vec::new(),
            output_guardrails: Vec::new(),
            guardrail_everywhere: None,
            run_hooks: Vec::new(),
            turn_hooks: Vec::new(),
            message_hooks: Vec::new(),
            around: Around::default(),
            filter_names: Vec::new(),
            onion: None,
            runs_itself: false,
            hook_states: Vec::new(),
            reaching_states: Vec::new(),
            compiled_hooks: Vec::new(),
            seam: 0,
            services: ServiceTypes::default(),
            state_visitor: None,
            state_codec: None,
            children: Vec::new(),
            default_model: None,
            settings: Settings::default(),
            input: None,
            input_type: None,
            output: None,
            output_type: None,
            messages: Vec::new(),
            until: None,
        }
    }

    /// Sets the description. Parents choose a child by it.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets the instruction: the main part of the system prompt.
    #[must_use]
    pub fn instruction(mut self, text: impl Into<PromptText>) -> Self {
        self.prompt = self.prompt.text(PromptPart::Instructions, text);
        self
    }

    /// Sets other parts of the system prompt. Parts from an earlier call stay if this prompt says nothing of them.
    #[must_use]
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompt = self.prompt.with(prompt);
        self
    }

    /// Uses the tools of a server: an MCP server, or a source of your own ([`servers`](crate::servers)). The filter selects those whose names match one of its patterns, where `*` is any
    /// text; `None` selects all.
    #[must_use]
    pub fn server(mut self, name: impl Into<Arc<str>>, filter: Option<&[&str]>) -> Self {
        let filter = filter.map_or_else(ToolFilter::all, ToolFilter::new);
        self.servers.push(ServerUse { name: name.into(), filter });
        self
    }

    /// Sets the text of a file that keeps what servers offered when the program was written. The runtime does not read it; servers get it
    /// with [`ProviderRequest::snapshot`](crate::servers::ProviderRequest::snapshot), and MCP servers report how they differ from it.
    /// With feature `mcp`, `agent!` sets the `onionskin-mcp.lock.json` of the package, if that file exists.
    #[must_use]
    pub fn server_snapshot(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.server_snapshot = Some(text.into());
        self
    }

    /// Sets the source of servers that the builder does not configure. With feature `mcp`, `agent!` sets the
    /// `.mcp.json` of the working directory.
    #[must_use]
    pub fn default_servers(mut self, servers: impl ToolServers) -> Self {
        self.default_servers = Some(Arc::new(servers));
        self
    }

    /// Adds a tool. All hooks of the agent run around it. An agent with another state than the tool's is not built
    /// ([`BuildError::ToolState`](crate::BuildError::ToolState)).
    #[must_use]
    pub fn tool<T: Tool>(mut self, tool: T) -> Self {
        self.tools.push((T::NAME, Arc::new(tool)));
        self
    }

    /// Uses the tools of a toolbox; the object is provided when the agent is built. A prefix distinguishes several
    /// toolboxes of one type: with `archive`, the tool `search` is called `archive_search`.
    #[must_use]
    pub fn toolbox<T: Toolbox>(mut self, prefix: Option<&str>) -> Self {
        self.toolboxes.push(ToolboxLink::of::<T>(prefix));
        self
    }

    /// Adds a built-in tool. Hooks see the source `runtime`. An agent with another state than the tool's is not built
    /// ([`BuildError::ToolState`](crate::BuildError::ToolState)).
    #[must_use]
    pub fn runtime_tool(mut self, tool: impl DynTool) -> Self {
        self.runtime_tools.push(Arc::new(tool));
        self
    }

    /// Adds a hook inside the dynamic hooks, those that the builder adds. The first one that is added is the outermost. An
    /// agent with another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn hook<H>(mut self, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: Works>>,
    {
        let mut states = Vec::new();
        StateOf::<H>::on(&mut states);
        self.hook_states.push((type_name::<H>(), states));
        self.hooks.push(Arc::new(hook));
        self
    }

    /// Adds a hook around each run of the agent ([`run_hooks`](crate::run_hooks)), after those that were added before. An agent with
    /// another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn run_hook<H>(mut self, hook: H) -> Self
    where
        H: RunHook<Made: MadeBy<H, State: Works>>,
    {
        let mut states = Vec::new();
        <H::Made as MadeBy<H>>::State::on(&mut states);
        self.hook_states.push((type_name::<H>(), states));
        self.run_hooks.push(Arc::new(hook));
        self.around.run.push(HookType::of_hook::<H, H::Made>());
        self
    }

    /// Adds a hook around the turns of the agent ([`turn_hooks`](crate::turn_hooks)), after those that were added before. An agent with
    /// another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn turn_hook<H>(mut self, hook: H) -> Self
    where
        H: TurnHook<Made: MadeBy<H, State: Works>>,
    {
        let mut states = Vec::new();
        <H::Made as MadeBy<H>>::State::on(&mut states);
        self.hook_states.push((type_name::<H>(), states));
        self.turn_hooks.push(Arc::new(hook));
        self.around.turn.push(HookType::of_hook::<H, H::Made>());
        self
    }

    /// Adds a hook on the messages of the agent ([`message_hooks`](crate::message_hooks)), after those that were added before. An agent with
    /// another state than the hook's is not built ([`BuildError::HookState`](crate::BuildError::HookState)).
    #[must_use]
    pub fn message_hook<H>(mut self, hook: H) -> Self
    where
        H: MessageHook<Made: MadeBy<H, State: Works>>,
    {
        let mut states = Vec::new();
        <H::Made as MadeBy<H>>::State::on(&mut states);
        self.hook_states.push((type_name::<H>(), states));
        self.message_hooks.push(Arc::new(hook));
        self.around.message.push(HookType::of_hook::<H, H::Made>());
        self
    }

    /// Registers a tool name from a hook's filter. The name is resolved when the agent is built.
    #[doc(hidden)]
    #[must_use]
    pub fn filter_names(mut self, hook: &'static str, tool: &'static str) -> Self {
        self.filter_names.push((hook, tool.into()));
        self
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
        self.default_model = Some(BoxModel::new(model));
        self
    }

    /// Sets the type of the input that parents give the agent: the parameters of the agent as a tool are its fields, and the agent gets
    /// the value as JSON. The default is one text. A program that runs the agent gives any text.
    #[must_use]
    pub fn input<T: TypedInput>(mut self) -> Self {
        self.input = Some(InputForm::of::<T>);
        self.input_type = Some(HookType::of::<T>());
        self
    }

    /// Sets the type of the answers. The model is asked for it, and again while it does not fit, as
    /// [`RunRequest::run_as`](super::RunRequest::run_as) says. The text of a run is the answer as JSON, and so is the result of the agent as a
    /// tool. [`TypedAgent`](super::TypedAgent) gives programs the value.
    ///
    /// An agent with a `response_schema` in its [`request_params`](Self::request_params) beside it is not built
    /// ([`BuildError::TwoAnswerForms`](crate::BuildError::TwoAnswerForms)).
    #[must_use]
    pub fn output<T: TypedAnswer>(mut self) -> Self {
        self.output = Some(AnswerForm::of::<T>);
        self.output_type = Some(HookType::of::<T>());
        self
    }

    /// Sets the initial messages of each new session and, as a child, of each call by a parent whose `history_source`
    /// is `messages`. [`AgentBuilder::messages`](super::AgentBuilder::messages) and `messages_for` replace them.
    #[must_use]
    pub fn messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.messages = messages.into_iter().collect();
        self
    }

    /// Declares that code of the agent takes a service of this type with
    /// [`RunContext::provided`](crate::RunContext::provided): its own `run`, or a tool that a server adds after the agent
    /// was built. Tools, hooks and guardrails declare their own services; see [`services`](crate::services).
    #[must_use]
    pub fn takes_service<T: ?Sized + 'static>(mut self) -> Self {
        self.services.add::<T>();
        self
    }

    /// Lists the services of a hook of the compiled onion.
    #[doc(hidden)]
    #[must_use]
    pub fn hook_services<H: Hook>(self) -> Self {
        self.compiled_hook::<H>(None)
    }

    /// Says that a hook of the compiled onion is of type `H`, and which calls it concerns; `None`: all. `agent!` writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn compiled_hook<H: Hook>(mut self, concerns: Option<Concerns>) -> Self {
        self.compiled_hooks.push(CompiledHook::of::<H>(concerns));
        self
    }

    /// Says which calls the last compiled hook concerns, in words. `agent!` writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn filter_words(mut self, except: bool, words: &'static [FilterWord]) -> Self {
        if let Some(hook) = self.compiled_hooks.last_mut() {
            hook.words = Some((except, words));
        }
        self
    }

    /// Says that the last compiled hook sees the calls of the agents below too. `agent!` writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn everywhere(self) -> Self {
        self.filter_words(false, &[FilterWord::Everywhere])
    }

    /// Says that a function runs the agent. `agent!` writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn runs_itself(mut self) -> Self {
        self.runs_itself = true;
        self
    }

    /// Says that the dynamic hooks are inside of the hooks before. `agent!` writes it.
    #[doc(hidden)]
    #[must_use]
    pub fn seam(mut self) -> Self {
        self.seam = self.compiled_hooks.len();
        self
    }

    /// Visits the secrets of the agent's state, which is of type `S`: those of a new session's state, and those that an
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

    #[doc(hidden)]
    #[must_use]
    pub fn state_codec(mut self, codec: Option<StateCodec>) -> Self {
        self.state_codec = codec;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn state_visitor(mut self, visitor: Option<StateVisitor>) -> Self {
        self.state_visitor = visitor;
        self
    }

    /// Sets the compiled onion.
    #[doc(hidden)]
    #[must_use]
    pub fn onion(mut self, onion: fn(RuntimeHooks) -> Onion) -> Self {
        self.onion = Some(onion);
        self
    }
}
