//! Unit tests of hooks and tools without a run: the context of a call, and the rest of a call.
//!
//! A hook is a function, so a test calls it directly. [`next`] replaces everything inside the hook, and
//! [`context`] creates the call's context:
//!
//! ```
//! use onionskin::{Args, Effect, Exit, Next, ToolContext, ToolDefinition, ToolResult, testing, tool_hook};
//!
//! /// Refuses whatever must not happen twice, and marks the rest.
//! #[tool_hook]
//! async fn careful(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
//!     if ctx.definition().effect == Effect::Once {
//!         return Err(Exit::denied("a person does this"));
//!     }
//!     let mut output = next.run(args).await?;
//!     output.push_text(" [careful]");
//!     Ok(output)
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let cx = testing::context("add_one").build();
//! let inner = testing::next(|args| Ok(format!("x is {}", args["x"]).into()));
//! let output = careful(&cx, &mut Args::from(r#"{"x": 3}"#), inner).await.unwrap();
//! assert_eq!(output.to_text(), "x is 3 [careful]");
//!
//! let mut pay = ToolDefinition::new("bank__pay", "Pays.");
//! pay.effect = Effect::Once;
//! let cx = testing::context("bank__pay").server("bank").definition(pay).build();
//! assert!(careful(&cx, &mut Args::default(), inner).await.is_err());
//! # });
//! ```
//!
//! `FakeServer` (feature `mcp`) is an MCP server whose tools are closures.
//!
//! [`model_suite`] tests a model with the cases that an agent needs, [`memory_suite`] a store of
//! memories, [`session_suite`] a store of sessions, and [`budget_suite`] a store of budgets.
//!
//! [`ToolCaller`](onionskin_tools::onion::ToolCaller) calls an agent's tools through all of its hooks, and a
//! [`ScriptedModel`](onionskin_tools::ScriptedModel) plays whole runs.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod budget_suite;
mod memory_suite;
mod model_suite;
mod report;
mod session_suite;

use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

pub use self::budget_suite::budget_suite;
pub use self::memory_suite::memory_suite;
pub use self::model_suite::{Exchange, Reply, Scenario, model_suite};
pub use self::report::{CaseOutcome, SuiteReport};
pub use self::session_suite::session_suite;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{ServerKind, ToolDefinition, ToolSource};
use onionskin_definitions::error::ToolResult;
use onionskin_tools::context::{Inject, RunContext, State, Target, ToolContext, ToolEntry};
use onionskin_tools::onion::Next;
use onionskin_tools::question::{Answerer, DynAnswerer};
use onionskin_tools::services::{ProvidedService, Service, Services};
use onionskin_tools::session::Session;
use onionskin_tools::state::{SessionState, StateCell, StateHandle};
use onionskin_tools::typed::{ArgsOf, OutputOf, TypedNext, TypedTool};

/// Creates the rest of a call from a function, to test a hook. The function gets the arguments that the hook
/// passes on.
///
/// A hook may call `run` several times, so the function may be called several times. To record something, borrow a
/// variable:
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use onionskin::{Args, Effect, ToolDefinition, hooks, testing};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let tries = AtomicU32::new(0);
/// let inner = testing::next(|_| match tries.fetch_add(1, Ordering::Relaxed) {
///     0 => Err("busy".into()),
///     _ => Ok("there".into()),
/// });
/// let mut look = ToolDefinition::new("look", "Looks.");
/// look.effect = Effect::Pure;
/// let cx = testing::context("look").definition(look).build();
/// let output = hooks::retry(3, &cx, &mut Args::default(), inner).await.unwrap();
/// assert_eq!((&*output.to_text(), tries.into_inner()), ("there", 2));
/// # });
/// ```
pub fn next<F>(answer: F) -> impl Next
where
    F: Fn(&mut Args) -> ToolResult + Copy + Send + Sync,
{
    Answer(answer)
}

/// As [`next`], for a typed hook on the tool `T`.
///
/// ```
/// use onionskin::{ToolResult, testing, tool, tool_hook};
/// use onionskin::typed::{ArgsOf, TypedNext};
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// #[tool_hook(tool = add_one)]
/// async fn clamp(mut args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
///     args.x = args.x.min(10);
///     next.run(args).await
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let inner = testing::typed_next::<add_one, _>(|args| Ok(args.x));
/// let held = clamp(ArgsOf::<add_one> { x: 41 }, inner).await.unwrap();
/// assert_eq!(held, 10);
/// # });
/// ```
pub fn typed_next<T, F>(answer: F) -> impl TypedNext<T>
where
    T: TypedTool,
    F: Fn(ArgsOf<T>) -> ToolResult<OutputOf<T>> + Copy + Send + Sync,
{
    Answer(answer)
}

#[derive(Clone, Copy)]
struct Answer<F>(F);

impl<F> Next for Answer<F>
where
    F: Fn(&mut Args) -> ToolResult + Copy + Send + Sync,
{
    async fn run(self, args: &mut Args) -> ToolResult {
        (self.0)(args)
    }
}

impl<T, F> TypedNext<T> for Answer<F>
where
    T: TypedTool,
    F: Fn(ArgsOf<T>) -> ToolResult<OutputOf<T>> + Copy + Send + Sync,
{
    async fn run(self, args: ArgsOf<T>) -> ToolResult<OutputOf<T>> {
        (self.0)(args)
    }
}

/// Creates a builder for the context of one call of this tool, for a test. By default the tool is a local
/// function without an agent.
///
/// [`ToolContext::detached`] is a short form for tests that only need the tool's name.
///
/// ```
/// use onionskin::testing::context;
/// use onionskin::{ToolContext, tool};
///
/// /// Says who calls.
/// #[tool]
/// fn who(ctx: &ToolContext) -> String {
///     format!("{} calls {}", ctx.agent_name(), ctx.tool_name())
/// }
///
/// assert_eq!(who(&context("who").agent("Clerk").build()), "Clerk calls who");
/// ```
pub fn context(tool_name: &str) -> ContextBuilder {
    ContextBuilder {
        name: tool_name.into(),
        source: ToolSource::Function,
        server: None,
        agent: "detached".into(),
        call_id: "detached".into(),
        definition: None,
        state: StateCell::handle((), None),
        session_state: SessionState::default(),
        services: Services::default(),
        answerer: None,
    }
}

/// Builds a [`ToolContext`] without a run. Created by [`context`].
#[must_use = "a builder does nothing until it is built"]
pub struct ContextBuilder {
    name: Arc<str>,
    source: ToolSource,
    server: Option<Arc<str>>,
    agent: Arc<str>,
    call_id: Arc<str>,
    definition: Option<ToolDefinition>,
    state: StateHandle,
    session_state: SessionState,
    services: Services,
    answerer: Option<Arc<dyn DynAnswerer>>,
}

impl ContextBuilder {
    /// Makes the tool one of this MCP server.
    pub fn server(self, name: &str) -> Self {
        self.server_of_kind(name, ServerKind::Mcp)
    }

    /// Makes the tool one of this server, for example a custom one ([`ServerKind::Other`]).
    pub fn server_of_kind(mut self, name: &str, kind: ServerKind) -> Self {
        (self.source, self.server) = (kind.into(), Some(name.into()));
        self
    }

    /// Makes the tool a child agent.
    pub fn child_agent(mut self) -> Self {
        (self.source, self.server) = (ToolSource::Agent, Some("agent".into()));
        self
    }

    /// Makes the tool a built-in tool.
    pub fn built_in(mut self) -> Self {
        (self.source, self.server) = (ToolSource::Runtime, Some("runtime".into()));
        self
    }

    /// Sets the agent that calls.
    pub fn agent(mut self, name: &str) -> Self {
        self.agent = name.into();
        self
    }

    /// Sets the id of the call.
    pub fn call_id(mut self, id: &str) -> Self {
        self.call_id = id.into();
        self
    }

    /// Sets the tool's definition, for hooks that read it.
    pub fn definition(mut self, definition: ToolDefinition) -> Self {
        self.definition = Some(definition);
        self
    }

    /// Sets the session's state, for hooks and tools that take [`State`].
    pub fn state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        let (state, secrets) = StateCell::undeclared(state);
        self.session_state.concealed().add(&secrets);
        self.state = state;
        self
    }

    /// Provides a service, for hooks and tools that take [`Provided`](onionskin_tools::Provided) or call
    /// [`ToolContext::provided`].
    pub fn provide<T: Service>(self, service: T) -> Self {
        self.provide_shared(Arc::new(service))
    }

    /// As [`Self::provide`], for a service in an [`Arc`], also of a trait object.
    pub fn provide_shared<T: ?Sized + Service>(mut self, service: Arc<T>) -> Self {
        self.services.insert(ProvidedService::new(service));
        self
    }

    /// Sets who answers questions ([`ToolContext::ask`]).
    ///
    /// ```
    /// use onionskin::question::{Answer, AskError, Question};
    /// use onionskin::{ToolContext, testing, tool};
    ///
    /// /// Asks for a colour.
    /// #[tool(asks)]
    /// async fn paint(cx: &ToolContext) -> Result<String, AskError> {
    ///     cx.ask("Which colour?").await
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let cx = testing::context("paint").answerer(|_: Question| async { Answer::value("blue").ok() }).build();
    /// assert_eq!(paint(&cx).await.unwrap(), "blue");
    /// # });
    /// ```
    pub fn answerer(mut self, answerer: impl Answerer) -> Self {
        self.answerer = Some(Arc::new(answerer));
        self
    }

    /// Builds the call with a session that contains this state, to test changes of the state. The result has
    /// the state that tools and hooks get, the context, and the session for assertions.
    ///
    /// ```
    /// use onionskin::{Args, Exit, State, ToolOutput, ToolResult, testing, tool_hook};
    ///
    /// #[derive(Clone)]
    /// struct Quota {
    ///     left: u32,
    /// }
    ///
    /// /// Lets so many calls through.
    /// #[tool_hook]
    /// fn spend(_args: &Args, quota: State<Quota>) -> ToolResult<Option<ToolOutput>> {
    ///     let spent = quota.update(|quota| quota.left.checked_sub(1).map(|left| quota.left = left));
    ///     spent.map(|()| None).ok_or_else(|| Exit::denied("nothing is left"))
    /// }
    ///
    /// let test = testing::context("search").with_state(Quota { left: 1 });
    /// assert!(spend(&Args::default(), test.state()).is_ok());
    /// assert_eq!(test.state().left, 0);
    /// assert!(spend(&Args::default(), test.state()).is_err());
    /// assert_eq!(test.session().typed_state::<Quota>().unwrap().left, 0);
    /// assert_eq!(test.context().tool_name(), "search");
    /// ```
    pub fn with_state<S: Clone + Send + Sync + 'static>(self, state: S) -> TestCall<S> {
        let this = self.state(state);
        let states = HashMap::from([(TypeId::of::<S>(), Ok(Arc::clone(&this.state)))]);
        let session = Session::with_state(states, this.session_state.clone());
        let context = this.make(Some(session.clone()));
        TestCall { context, session, state: PhantomData }
    }

    /// Builds the context. Its events are dropped. Cancelling [`run().cancellation()`](crate::RunContext::cancellation)
    /// has the same effect as cancelling its run.
    #[must_use]
    pub fn build(self) -> ToolContext {
        self.make(None)
    }

    fn make(self, session: Option<Session>) -> ToolContext {
        let definition = self.definition.unwrap_or_else(|| ToolDefinition::new(&self.name, ""));
        let entry =
            ToolEntry::new(self.name, self.source, self.server.as_deref(), definition, Target::Compiled(0));
        let run = RunContext::detached_agent(
            Arc::clone(&self.agent),
            self.state,
            self.session_state,
            self.services,
            session,
            self.answerer,
        );
        ToolContext::new(run, Arc::new(entry), self.call_id, 0, 0)
    }
}

/// One call with a session, for a test; see [`ContextBuilder::with_state`].
///
/// ```
/// use onionskin::testing::context;
/// use onionskin::{State, tool};
///
/// #[derive(Clone, Default)]
/// struct Stock {
///     lamps: u32,
/// }
///
/// /// Sells a lamp.
/// #[tool]
/// fn sell(stock: State<Stock>) {
///     stock.update(|stock| stock.lamps -= 1);
/// }
///
/// let call = context("sell").with_state(Stock { lamps: 3 });
/// sell(call.state());
/// assert_eq!(call.state().lamps, 2);
/// ```
pub struct TestCall<S> {
    context: ToolContext,
    session: Session,
    state: PhantomData<fn() -> S>,
}

impl<S: Clone + Send + Sync + 'static> TestCall<S> {
    /// The state that a call beginning now gets.
    ///
    /// # Panics
    /// Never: the context was made with this state.
    pub fn state(&self) -> State<S> {
        State::inject(&self.context).expect("the context was made with this state")
    }

    /// The context of the call.
    pub fn context(&self) -> &ToolContext {
        &self.context
    }

    /// The session of the call, for assertions after it.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h3_a_context_for_tests_knows_who_calls_what() {
        let who = |cx: &ToolContext| {
            let server = cx.server_name().unwrap_or("-");
            format!("{} {} {server} {} {}", cx.agent_name(), cx.tool_name(), cx.source(), cx.call_id())
        };
        assert_eq!(who(&context("add_one").build()), "detached add_one - function detached");
        let cx = context("time__get").server("time").agent("Pmo").call_id("call_1").build();
        assert_eq!(who(&cx), "Pmo time__get time mcp call_1");
        assert_eq!(cx.run().instance_name(), "Pmo");
        assert_eq!(
            who(&context("agent__Ny").child_agent().build()),
            "detached agent__Ny agent agent detached"
        );
        let cx = context("shell.execute").built_in().build();
        assert_eq!(
            (who(&cx).as_str(), cx.wire_name()),
            ("detached shell.execute runtime runtime detached", "shell_execute")
        );
    }

    #[test]
    fn t7_a_context_for_tests_holds_a_state_and_a_definition() {
        let mut definition = ToolDefinition::new("count", "Counts.");
        definition.max_calls = Some(1);
        let cx = context("count").state(7_u8).definition(definition).build();
        let state = onionskin_tools::State::<u8>::inject(&cx).unwrap();
        state.update(|count| *count += 1);
        assert_eq!((*state.latest(), cx.definition().max_calls), (8, Some(1)));
        assert!(!cx.cancellation().is_cancelled());
        cx.run().cancellation().cancel();
        assert!(cx.cancellation().is_cancelled());
    }
}
