//! `AgentBuilder` builds a declared agent.

use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::sync::Arc;

use onionskin_definitions::secret::{Secret, Sensitive};
use onionskin_definitions::setters;
use onionskin_tools::approval::Approver;
use onionskin_tools::budget::{Budget, BudgetStore};
use onionskin_tools::event::RunOutput;
use onionskin_tools::journal::Journal;
use onionskin_tools::model::{BoxModel, Message, Model};
use onionskin_tools::onion::{Hook, MadeBy};
use onionskin_tools::policy::{InputGuardrail, OutputGuardrail};
use onionskin_tools::question::Answerer;
use onionskin_tools::services::{ProvidedService, Service, ServiceType};
use onionskin_tools::session::Sessions;
use onionskin_tools::session_store::SessionStore;
use onionskin_tools::spec::ToolValue;
use onionskin_tools::tool::{FitsState, ReachesInner, SharedToolbox, block_on};
use onionskin_tools::typed::RawHook;

use crate::agent::Agent;
use crate::agent::built::stored_sessions::StoredSessions;
use crate::agent::callers::handle::AgentHandle;
use crate::agent::callers::stream::RunStream;
use crate::agent::declaration::{AgentDeclaration, DynAgent};
use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::agent::limits::Limits;
use crate::agent::parts::servers::{IntoToolServer, ToolServers};
use crate::message_hook::MessageHook;
use crate::prompt::Prompt;
use crate::run_hook::{RunHook, RunInput};
use crate::turn_hook::TurnHook;

use super::setup::Setup;

/// Builds an agent: sets its model, state, servers and dynamic hooks. Created by
/// [`Agent::builder`](crate::Agent::builder). The builder of an [`App`](crate::agent::App) of several agents
/// is [`AppBuilder`](crate::agent::AppBuilder).
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, State, agent, tool};
/// use serde_json::json;
///
/// #[derive(Clone, Default)]
/// struct Stock {
///     lamps: u32,
/// }
///
/// /// Counts the lamps in stock.
/// #[tool]
/// fn count(stock: State<Stock>) -> u32 {
///     stock.lamps
/// }
///
/// agent! { Desk { instruction: "Sell lamps.", function_tools: [count], state: Stock } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last} left.")]);
/// let desk = Desk::builder().model(model).state(Stock { lamps: 3 }).build().await?;
/// assert_eq!(desk.run("How many lamps are left?").await?.text, "3 left.");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[must_use = "a builder does nothing until it is built"]
pub struct AgentBuilder<A> {
    pub(super) setup: Setup,
    /// The parts of an app.
    pub(super) app: AppParts,
    agent: PhantomData<fn() -> A>,
}

/// The parts of an [`App`](crate::agent::App) that one agent does not have.
#[derive(Default)]
pub(super) struct AppParts {
    pub(super) entry: Option<String>,
    pub(super) initial_message: Option<Arc<str>>,
}

impl<A> Default for AgentBuilder<A> {
    fn default() -> Self {
        Self { setup: Setup::default(), app: AppParts::default(), agent: PhantomData }
    }
}

/// Settings that agents and apps have in common.
impl<A> AgentBuilder<A> {
    /// Sets the model for all agents. It gets the name of an agent that names one in
    /// [`ModelRequest::model`](crate::model::ModelRequest::model). If it asks another model in its place, as
    /// `GenaiModel::new("..")` does, building fails ([`BuildError::OtherModel`]); [`Self::model_for_all`] allows that.
    ///
    /// `GenaiModel::from_env()` (feature `genai`) asks the model that each agent names.
    pub fn model(mut self, model: impl Model) -> Self {
        let replaced = self.setup.model.replace(BoxModel::new(model));
        if self.setup.model_for_all {
            self.setup.twice.push("`.model(..)`, or `.model_for_all(..)` before it,".to_owned());
        } else {
            self.setup.note_twice(replaced.is_some(), ".model(..)");
        }
        self
    }

    /// Sets the model for all agents, in place of the one of [`Self::model`] and of the models that agents name.
    ///
    /// ```
    /// use onionskin::model::{ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse};
    /// use onionskin::{BuildError, Model, agent};
    ///
    /// /// Asks one model, whatever an agent names.
    /// struct Local;
    ///
    /// impl Model for Local {
    ///     async fn respond(
    ///         &self,
    ///         _request: &ModelRequest,
    ///         _deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ///     ) -> Result<ModelResponse, ModelError> {
    ///         Ok(ModelResponse::text("Hello."))
    ///     }
    ///
    ///     fn identity(&self, _requested: Option<&str>) -> ModelIdentity {
    ///         ModelIdentity::new("local", Some("qwen3"))
    ///     }
    /// }
    ///
    /// agent! { Clerk { instruction: "Answer.", model: "gpt-4o-mini" } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let error = Clerk::builder().model(Local).build().await.unwrap_err();
    /// assert!(matches!(error, BuildError::OtherModel { .. }));
    /// assert_eq!(Clerk::builder().model_for_all(Local).run("Hi.").await.unwrap().text, "Hello.");
    /// # });
    /// ```
    pub fn model_for_all(mut self, model: impl Model) -> Self {
        self.setup.note_twice(self.setup.model_for_all, ".model_for_all(..)");
        self.setup.model = Some(BoxModel::new(model));
        self.setup.model_for_all = true;
        self
    }

    /// Sets the initial state of new sessions, for the agents with this type of state; call this method once
    /// per type. Building fails if there is no such agent, or after a second call for the type. A state that contains a [`Secret`] implements
    /// [`VisitSecrets`](trait@crate::secret::VisitSecrets).
    pub fn state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        self.setup.state(state);
        self
    }

    /// Registers a secret with all sessions, as [`ToolContext::conceal`](crate::ToolContext::conceal) does
    /// with one session. Use it for secrets in a toolbox, a model or a hand-written tool. Secrets that the
    /// state lists ([`VisitSecrets`](trait@crate::secret::VisitSecrets)) are registered automatically.
    pub fn conceal<T: Sensitive>(mut self, secret: &Secret<T>) -> Self {
        self.setup.conceal(secret);
        self
    }

    /// Provides a service: a value that the tools, hooks and guardrails of all agents take by its type, as
    /// [`Provided<T>`](crate::Provided). All sessions share it. A request can replace it for its run
    /// ([`RunRequest::provide`](crate::run::RunRequest::provide)). Building fails if nothing takes the service, or after a
    /// second call for the type.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use onionskin::{Provided, ScriptedModel, agent, tool};
    ///
    /// trait Clock: Send + Sync {
    ///     fn hour(&self) -> u8;
    /// }
    ///
    /// struct Noon;
    ///
    /// impl Clock for Noon {
    ///     fn hour(&self) -> u8 {
    ///         12
    ///     }
    /// }
    ///
    /// /// Tells the hour.
    /// #[tool]
    /// fn hour(clock: Provided<dyn Clock>) -> u8 {
    ///     clock.hour()
    /// }
    ///
    /// agent! { Clerk { instruction: "Tell the time.", function_tools: [hour] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clock: Arc<dyn Clock> = Arc::new(Noon);
    /// let clerk = Clerk::builder().model(ScriptedModel::new()).provide_shared(clock).build().await.unwrap();
    ///
    /// let error = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap_err();
    /// assert!(error.to_string().contains("the tool `hour` of the agent `Clerk` takes the service `dyn "), "{error}");
    /// # });
    /// ```
    pub fn provide<T: Service>(mut self, service: T) -> Self {
        self.setup.provide(ProvidedService::from_value(service));
        self
    }

    /// As [`Self::provide`], for a service in an [`Arc`], also of a trait object: with an `Arc<dyn Clock>`, tools take
    /// `Provided<dyn Clock>`.
    pub fn provide_shared<T: ?Sized + Service>(mut self, service: Arc<T>) -> Self {
        self.setup.provide(ProvidedService::new(service));
        self
    }

    /// Declares that each request provides a service of this type
    /// ([`RunRequest::provide`](crate::run::RunRequest::provide)), such as a client with the permissions of
    /// one user. Without it, a run of an agent that takes the service does not begin
    /// ([`RunError::NoService`]).
    pub fn provide_per_request<T: ?Sized + Service>(mut self) -> Self {
        self.setup.provide_per_request(ServiceType::new::<T>());
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

    /// Changes the declaration of the agent of this name, for example of a child. The hooks, guardrails and tools that the function
    /// adds come where [`hook`](AgentBuilder::hook), [`input_guardrail`](AgentBuilder::input_guardrail) and
    /// [`tool`](AgentBuilder::tool) put them; its prompt replaces parts of the declared one, and other values replace the
    /// declared ones. `build` calls the function, and checks that hooks and guardrails work on the agent's state.
    ///
    /// [Messages](AgentDeclaration::messages) begin each new session of the agent, and each call by a parent whose
    /// `history_source` is `messages`.
    ///
    /// ```
    /// use onionskin::declaration::Limits;
    /// use onionskin::{App, ScriptedModel, agent, hooks};
    ///
    /// agent! {
    ///     Desk { instruction: "Ask the clerk.", agents: [Clerk] }
    ///     Clerk { instruction: "Answer.", description: "Answers questions." }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let mut limits = Limits::default();
    /// limits.turns = 3;
    /// let app = App::builder()
    ///     .model(ScriptedModel::new())
    ///     .agent::<Desk>()
    ///     .for_agent("Clerk", |clerk| clerk.hook(hooks::retry::new(2)).limits(limits))
    ///     .build()
    ///     .await;
    /// # let _ = app.unwrap();
    /// # });
    /// ```
    pub fn for_agent(
        mut self,
        name: impl Into<String>,
        change: impl FnOnce(AgentDeclaration) -> AgentDeclaration + Send + 'static,
    ) -> Self {
        self.setup.changes.named.entry(name.into()).or_default().push(Box::new(change));
        self
    }

    /// Sets who answers the questions of calls, also of children's calls, while the run waits. If there is no
    /// answerer, or it leaves a question open, the run pauses
    /// ([`RunError::Paused`](crate::RunError::Paused)). Building fails if nothing can ask.
    pub fn answerer(mut self, answerer: impl Answerer) -> Self {
        let replaced = self.setup.shared.answerer.replace(Arc::new(answerer));
        self.setup.note_twice(replaced.is_some(), ".answerer(..)");
        self
    }

    /// Sets the approver for calls of tools with `approval`, also for the calls of children. Without one, the
    /// [answerer](Self::answerer) is asked, or the run pauses. Building fails if no call needs approval.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        let replaced = self.setup.shared.approver.replace(Arc::new(approver));
        self.setup.note_twice(replaced.is_some(), ".approver(..)");
        self
    }

    setters! {
        /// Records the content of runs, also of the runs of children, in their spans: messages, system prompts, definitions of
        /// tools, arguments, results and the texts of errors. Without this call, spans have names, numbers and ids only, because
        /// content may be confidential. The secrets of the session are redacted in both cases.
        ///
        /// Runs write their spans to `tracing`, under the target `onionskin` at level info: `invoke_agent` for a run, `chat` for
        /// each request to a model, `execute_tool` for each tool call. Their fields are OpenTelemetry's attributes for generative
        /// AI; the book lists them.
        ///
        /// ```
        /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
        ///
        /// agent! { Clerk { instruction: "Answer." } }
        ///
        /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        /// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
        /// Clerk::builder().model(model).trace_content().run("Hello.").await.unwrap();
        /// # });
        /// ```
        trace_content() => setup.trace_content = true;
    }

    /// Sets the journal that records the steps of runs, also of the runs of children. Without one no step is recorded,
    /// and no run can be replayed.
    ///
    /// A run is continued under its id, which [`RunRequest::run_id`](crate::run::RunRequest::run_id) sets.
    /// The [`MemoryJournal`](crate::journal::MemoryJournal) is for tests. The book has a journal in a file.
    ///
    /// ```
    /// use onionskin::journal::Journal;
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Desk { instruction: "Take orders." } }
    ///
    /// async fn serve(order: u32, text: &str, journal: impl Journal) -> Result<String, Box<dyn std::error::Error>> {
    ///     let model = ScriptedModel::turns([ScriptedTurn::say("I note: {input}")]);
    ///     let desk = Desk::builder().model(model).journal(journal).build().await?;
    ///     Ok(desk.request(text).run_id(format!("order-{order}")).run().await?.text)
    /// }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let text = serve(7, "A lamp.", onionskin::journal::MemoryJournal::default()).await.unwrap();
    /// # assert_eq!(text, "I note: A lamp.");
    /// # });
    /// ```
    pub fn journal(mut self, journal: impl Journal) -> Self {
        let replaced = self.setup.shared.journal.replace(Arc::new(journal));
        self.setup.note_twice(replaced.is_some(), ".journal(..)");
        self
    }

    /// Adds a budget for the runs of all agents, beside the [limits](Limits) of each agent. Children spend the budgets of their
    /// callers. Building fails if the budget limits nothing ([`BuildError::Budget`]).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use onionskin::budget::{Budget, BudgetScope};
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Answer." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let hourly = Budget::new("hourly", BudgetScope::All).tokens(100_000).per(Duration::from_hours(1));
    /// let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say("Yes.")])).budget(hourly);
    /// assert_eq!(clerk.run("Really?").await.unwrap().text, "Yes.");
    /// # });
    /// ```
    pub fn budget(mut self, budget: Budget) -> Self {
        self.setup.shared.budgets.all.push(Arc::new(budget));
        self
    }

    /// Sets the store of what the runs spent from their budgets, also from those of requests. Without one, the agents of
    /// the builder share a [`MemoryBudgets`](crate::budget::MemoryBudgets), and the end of the process ends all budgets. With a
    /// [store of sessions](Self::session_store), a budget of a session, a user or all runs needs one
    /// ([`BuildError::NoBudgetStore`]).
    ///
    /// A budget that an [`AgentTool`](crate::AgentTool) and its caller have in one store counts once.
    pub fn budget_store(mut self, store: impl BudgetStore) -> Self {
        let replaced = self.setup.shared.budgets.store.replace(Arc::new(store));
        self.setup.note_twice(replaced.is_some(), ".budget_store(..)");
        self
    }

    /// Whether a [store of budgets](Self::budget_store) was set. For the crates of the runtime.
    #[doc(hidden)]
    pub fn has_budget_store(&self) -> bool {
        self.setup.shared.budgets.store.is_some()
    }

    /// Sets the store of sessions. [`AgentHandle::open_session`](crate::AgentHandle::open_session) opens a session in it,
    /// and each run of such a session stores its messages, values and states as soon as it has them.
    ///
    /// All typed states of sessions must be `Serialize` and `Deserialize`, apart from those that
    /// [`unstored_state`](Self::unstored_state) names.
    ///
    /// ```
    /// use onionskin::sessions::MemorySessions;
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! { Clerk { instruction: "Take notes." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("I note it.")]);
    /// let clerk = Clerk::builder().model(model).session_store(MemorySessions::default()).build().await.unwrap();
    /// let session = clerk.open_session("ticket-7").await.unwrap();
    /// clerk.request("A lamp, please.").session(&session).run().await.unwrap();
    ///
    /// // The memory of the store is read here. With a file it could be another process.
    /// drop(session);
    /// assert_eq!(clerk.open_session("ticket-7").await.unwrap().history().len(), 2);
    /// # });
    /// ```
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        let replaced = self.setup.shared.sessions.replace(StoredSessions::new(Arc::new(store)));
        self.setup.note_twice(replaced.is_some(), ".session_store(..)");
        self
    }

    /// The sessions of the [store](Self::session_store) that was set, so that a program can list or export them before it
    /// builds its agents; `None` without a store.
    ///
    /// ```
    /// use onionskin::sessions::{MemorySessions, SessionQuery};
    /// use onionskin::{ScriptedModel, agent};
    ///
    /// agent! { Clerk { instruction: "Take notes." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = Clerk::builder().model(ScriptedModel::new());
    /// assert!(clerk.sessions().is_none());
    /// let clerk = clerk.session_store(MemorySessions::default());
    /// let page = clerk.sessions().unwrap().list(&SessionQuery::default()).await.unwrap();
    /// assert!(page.sessions.is_empty());
    /// # });
    /// ```
    pub fn sessions(&self) -> Option<Sessions> {
        self.setup.shared.sessions.as_ref().map(StoredSessions::all)
    }

    /// Leaves the state `S` out of stored sessions: a session that is opened has the builder's first value of it. It is
    /// an error without a session store, or if no session has the state.
    pub fn unstored_state<S: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.setup.unstored.push((TypeId::of::<S>(), type_name::<S>()));
        self
    }

    /// Adds the configuration of a server, for example an `mcp::ServerConfig`. It is an error if no agent
    /// uses the server, or if another call has this name.
    pub fn server(mut self, name: impl Into<String>, server: impl IntoToolServer) -> Self {
        self.setup.server(name.into(), server);
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
        self.setup.servers.is_strict = true;
        self
    }
}

/// For the crates of the runtime: settings of a command line, beside those of the program.
#[doc(hidden)]
impl<A> AgentBuilder<A> {
    /// Sets who answers if the program sets no answerer.
    pub fn default_answerer(mut self, answerer: impl Answerer) -> Self {
        self.setup.default_answerer = Some(Arc::new(answerer));
        self
    }

    /// Provides a service in place of the program's.
    pub fn provide_instead<T: Service>(mut self, service: T) -> Self {
        self.setup.services.insert(ProvidedService::from_value(service));
        self
    }
}

impl<A: Agent> AgentBuilder<A> {
    /// Changes the declaration of the agent when it is built. The compiler has already checked the states of
    /// hooks and guardrails.
    fn change(mut self, change: impl FnOnce(AgentDeclaration) -> AgentDeclaration + Send + 'static) -> Self {
        self.setup.changes.first.push(Box::new(change));
        self
    }

    /// Adds a dynamic hook: one that is not in the agent's declaration. Dynamic hooks run around the declared
    /// hooks, or at the `..` in `tool_hooks`. The first one added is the outermost. Create the hook of a
    /// `#[tool_hook]` function with `new`: `.hook(audit::new())`, `.hook(hooks::retry::new(3))`.
    pub fn hook<H>(self, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: FitsState<A::State>>>,
    {
        self.change(|agent| agent.with_hook(hook, Vec::new()))
    }

    /// As [`Self::hook`], for a hook that also sees the calls of all descendants: of children, of their
    /// children, and of an [`AgentTool`](crate::AgentTool), outside their own hooks. A run that a function
    /// starts with its own handle is not a descendant. All of them share one hook value. It takes no state,
    /// because each agent has its own.
    ///
    /// ```
    /// use onionskin::{Args, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook};
    /// use serde_json::json;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// #[tool_hook]
    /// async fn no_sums(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    ///     if ctx.tool_name() == "add_one" { Err("no sums today".into()) } else { next.run(args).await }
    /// }
    ///
    /// agent! {
    ///     Desk { instruction: "Ask the clerk.", agents: [Clerk] }
    ///     Clerk { instruction: "Add.", description: "Adds.", function_tools: [add_one] }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::new()
    ///     .agent("Desk", [ScriptedTurn::call("agent__Clerk", json!({ "input": "1 + 1?" })), ScriptedTurn::say("{last}")])
    ///     .agent("Clerk", [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")]);
    /// let desk = Desk::builder().model(model).hook_everywhere(no_sums::new()).build().await.unwrap();
    /// assert_eq!(desk.run("1 + 1?").await.unwrap().text, "no sums today");
    /// # });
    /// ```
    pub fn hook_everywhere<H>(self, hook: H) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: ReachesInner>>,
    {
        self.change(|agent| agent.with_hook_everywhere(Arc::new(hook)))
    }

    /// Adds a guardrail on the arguments of all calls of the agent, after the declared ones; see
    /// [`AgentDeclaration::input_guardrail`](crate::agent::AgentDeclaration::input_guardrail). Create the
    /// guardrail of a `#[guardrail(input)]` function with `new`.
    pub fn input_guardrail<G>(self, guardrail: G) -> Self
    where
        G: InputGuardrail<Made: MadeBy<G, State: FitsState<A::State>>>,
    {
        self.change(|agent| agent.with_input_guardrail(guardrail, None, Vec::new()))
    }

    /// As [`Self::input_guardrail`], on the results.
    pub fn output_guardrail<G>(self, guardrail: G) -> Self
    where
        G: OutputGuardrail<Made: MadeBy<G, State: FitsState<A::State>>>,
    {
        self.change(|agent| agent.with_output_guardrail(guardrail, None, Vec::new()))
    }

    /// Adds a hook around each run of the agent ([`run_hooks`](crate::run_hooks)), after the declared ones.
    /// Create the hook of a `#[run_hook]` function with `new`: `.run_hook(sign::new("v1"))`.
    pub fn run_hook<H>(self, hook: H) -> Self
    where
        H: RunHook<Made: MadeBy<H, State: FitsState<A::State>>>,
    {
        self.change(|agent| agent.with_run_hook(hook, Vec::new()))
    }

    /// Adds a hook around the turns of the agent ([`turn_hooks`](crate::turn_hooks)), after the declared
    /// ones. Create the hook of a `#[turn_hook]` function with `new`.
    pub fn turn_hook<H>(self, hook: H) -> Self
    where
        H: TurnHook<Made: MadeBy<H, State: FitsState<A::State>>>,
    {
        self.change(|agent| agent.with_turn_hook(hook, Vec::new()))
    }

    /// Adds a hook on the messages of the agent ([`message_hooks`](crate::message_hooks)), after the declared
    /// ones. Create the hook of a `#[message_hook]` function with `new`.
    pub fn message_hook<H>(self, hook: H) -> Self
    where
        H: MessageHook<Made: MadeBy<H, State: FitsState<A::State>>>,
    {
        self.change(|agent| agent.with_message_hook(hook, Vec::new()))
    }

    /// Adds a dynamic tool: one that is not in the agent's declaration, such as a
    /// [`ToolSpec`](crate::ToolSpec) or an [`AgentTool`](crate::AgentTool). All hooks of the agent run around
    /// it. Its bound parameters come from the tool's own [`state`](crate::ToolSpec::state), its `State<S>`
    /// from the agent's state.
    pub fn tool(self, tool: impl ToolValue) -> Self {
        let tool = tool.tool_value();
        self.change(|agent| agent.tool_value(tool))
    }

    /// Lets another model read the answer of the agent's type out of the text of its model, for models that are bad at
    /// JSON. The agent's model answers with text, and its prompt says which values the text must contain
    /// ([`PromptPart::ParsedValues`](crate::prompt::PromptPart::ParsedValues)). Then `model` is asked, with the name
    /// of the field `parser_model` if there is one, and asked again if its answer does not fit
    /// ([`Limits::output_retries`](crate::declaration::Limits::output_retries)). It is part of the turn, as
    /// questions of turn hooks are: with its tokens, limits and step of the journal. Turn hooks do not see it.
    ///
    /// An answer of a tool or a hook is not parsed. Building fails for an agent without an output type
    /// ([`BuildError::Contradiction`](crate::BuildError::Contradiction)).
    ///
    /// ```
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// /// A town.
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Town {
    ///     /// Its name.
    ///     name: String,
    /// }
    ///
    /// agent! {
    ///     Guide { instruction: "Answer about towns.", output: Town }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("That would be Rome, of course.")]);
    /// let parser = ScriptedModel::turns([ScriptedTurn::say(r#"{ "name": "Rome" }"#)]);
    /// let guide = Guide::builder().model(model).parser_model(parser);
    /// assert_eq!(guide.run_typed("Which town is eternal?").await.unwrap().answer.name, "Rome");
    /// # });
    /// ```
    pub fn parser_model(self, model: impl Model) -> Self {
        self.change(|agent| agent.parse_with(model))
    }

    /// Replaces the declared limits of each run.
    pub fn limits(self, limits: Limits) -> Self {
        self.change(|agent| agent.limits(limits))
    }

    /// Sets the messages that each new session of the agent begins with. [`Self::for_agent`] sets
    /// the messages of its children.
    pub fn messages(self, messages: impl IntoIterator<Item = Message>) -> Self {
        let messages: Vec<_> = messages.into_iter().collect();
        self.change(|agent| agent.messages(messages))
    }

    /// Sets parts of the agent's system prompt, in place of the declared ones.
    pub fn prompt(self, prompt: Prompt) -> Self {
        self.change(|agent| agent.prompt(prompt))
    }

    /// Starts the servers and builds the agent and its children. Servers need a tokio runtime with IO and timers.
    ///
    /// Cancel safety: dropping the future kills the servers that were started.
    ///
    /// # Errors
    /// Returns an error if a required part is missing or a server does not start. The error names the agent and says
    /// what to write. Several problems are one error ([`BuildError::Several`]).
    pub async fn build(mut self) -> Result<AgentHandle, BuildError> {
        self.setup.entries.push(DynAgent::from_type::<A>());
        let mut handles = self.setup.build().await?;
        Ok(handles.swap_remove(0))
    }

    /// Builds the agent, runs it once and shuts down its servers.
    ///
    /// Cancel safety: dropping the future ends the run and kills the servers.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be built or the run ends without an answer.
    pub async fn run(self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        let handle = self.build().await?;
        let output = handle.run(input).await;
        handle.shutdown().await;
        output
    }

    /// Builds the agent and returns the events of one run as a stream; see [`AgentHandle::stream`]. The servers are
    /// killed when the stream has ended or is dropped.
    ///
    /// Cancel safety: dropping the future kills the servers that were started. The run begins when the stream is polled.
    ///
    /// # Errors
    /// Returns an error if the agent cannot be built.
    pub async fn stream(self, input: impl Into<RunInput>) -> Result<RunStream, BuildError> {
        Ok(self.build().await?.stream(input))
    }

    /// As [`Self::run`], for synchronous programs: it blocks the thread until the run ends. It works inside
    /// and outside a tokio runtime.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_blocking(self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        let input = input.into();
        block_on(move || Box::pin(self.run(input))).unwrap_or_else(|error| {
            Err(RunError::Agent { agent: A::NAME.into(), reason: format!("no thread for it: {error}") })
        })
    }
}
