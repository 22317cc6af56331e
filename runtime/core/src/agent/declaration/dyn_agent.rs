//! [`DynAgent`]: agents as values.

use std::any::TypeId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use onionskin_definitions::debug_fields;
use onionskin_definitions::requirements::StateType;
use onionskin_tools::onion::caught;

use crate::agent::{Agent, AgentRun, RunError};

use super::AgentDeclaration;

/// An agent as a value: one created at run time, for example from a file, or an [`Agent`] type. Pass it to
/// [`AppBuilder::dyn_agent`](crate::declaration::AppBuilder::dyn_agent) to run it, or to
/// [`AgentDeclaration::dyn_child`] to make it a child.
///
/// Clones are the same agent: an agent with several parents is built once.
///
/// ```
/// use onionskin::declaration::{AgentDeclaration, DynAgent};
/// use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! { Clerk { instruction: "Answer.", description: "Answers questions." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let clerk = DynAgent::from_type::<Clerk>();
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
    pub(in crate::agent) id: AgentId,
    pub(in crate::agent) name: Arc<str>,
    declare: Arc<dyn Fn() -> AgentDeclaration + Send + Sync>,
    pub(in crate::agent) run: RunFn,
    pub(in crate::agent) state: StateType,
}

/// The identity of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::agent) enum AgentId {
    Type(TypeId),
    /// The number of an agent created at run time.
    Made(u64),
}

/// [`Agent::run`] of an agent, as a value: `|run, input| Box::pin(plan(run, input))`.
pub type RunFn = for<'a> fn(&'a AgentRun, String) -> BoxFuture<'a, Result<String, RunError>>;

impl DynAgent {
    /// Creates an agent that runs the loop of model turns and tool calls. `declare` is called each time the
    /// agent is built, and the declaration and the name are checked then.
    pub fn new(
        name: impl Into<Arc<str>>,
        declare: impl Fn() -> AgentDeclaration + Send + Sync + 'static,
    ) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Self {
            id: AgentId::Made(MADE.fetch_add(1, Ordering::Relaxed)),
            name: name.into(),
            declare: Arc::new(declare),
            run: |run, input| Box::pin(run.converse(input)),
            state: StateType::new::<()>(),
        }
    }

    /// Creates the value of an [`Agent`] type.
    pub fn from_type<A: Agent>() -> Self {
        Self {
            id: AgentId::Type(TypeId::of::<A>()),
            name: A::NAME.into(),
            declare: Arc::new(A::declare),
            run: |run, input| Box::pin(A::run(run, input)),
            state: StateType::new::<A::State>(),
        }
    }

    /// Sets the type of the agent's state. By default an agent created at run time has none.
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
        self.state = StateType::new::<S>();
        self
    }

    /// Sets the function that replaces the loop, as `run: ..` in `agent!`.
    ///
    /// ```
    /// use onionskin::declaration::{AgentDeclaration, DynAgent};
    /// use onionskin::run::AgentRun;
    /// use onionskin::{App, RunError, ScriptedModel};
    ///
    /// async fn repeat(_run: &AgentRun, input: String) -> Result<String, RunError> {
    ///     Ok(input.repeat(2))
    /// }
    ///
    /// let echo = DynAgent::new("Echo", AgentDeclaration::new).with_run(|run, input| Box::pin(repeat(run, input)));
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let app = App::builder().dyn_agent(&echo).model(ScriptedModel::new()).build().await.unwrap();
    /// assert_eq!(app.run("Ho").await.unwrap().text, "HoHo");
    /// # });
    /// ```
    #[must_use]
    pub fn with_run(mut self, run: RunFn) -> Self {
        self.run = run;
        self
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the agent has `default: true`. False if its declaration panics; building it is then an error.
    ///
    /// ```
    /// use onionskin::agent;
    /// use onionskin::declaration::DynAgent;
    ///
    /// agent! { Clerk { default: true, instruction: "Answer." } }
    ///
    /// assert!(DynAgent::from_type::<Clerk>().is_default());
    /// ```
    pub fn is_default(&self) -> bool {
        caught(|| self.declare().parts.settings.is_default).unwrap_or_default()
    }

    /// The agent's declaration.
    ///
    /// # Panics
    /// Panics if the declaring function panics.
    pub(in crate::agent) fn declare(&self) -> AgentDeclaration {
        (self.declare)()
    }
}

/// Clones of an agent are equal, and so are values of one [`Agent`].
impl PartialEq for DynAgent {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for DynAgent {}

debug_fields!(DynAgent: this => name: this.name);
