//! Calls of an agent's compiled tools through its hooks, without a model or a run.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Call, Core, RuntimeHooks, outermost};
use crate::context::{Guards, RunContext, RunHooks, RunSeed, Target, ToolContext, ToolEntry, ToolTable};
use crate::services::{ProvidedService, Service};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

/// An agent whose onion is known at compile time. `agent!` implements it.
#[doc(hidden)]
pub trait Compiled {
    type Core: Core;
    type Entry: Call;

    fn compose(hooks: RuntimeHooks) -> (Arc<Self::Core>, Self::Entry);

    /// The guardrails of the agent.
    fn guards() -> AgentGuards {
        AgentGuards(None)
    }
}

/// The guardrails of an agent, if it has any.
#[doc(hidden)]
pub struct AgentGuards(Option<Arc<dyn Guards>>);

impl AgentGuards {
    /// Wraps the guardrails of an agent.
    pub fn new(guards: Option<Arc<dyn Guards>>) -> Self {
        Self(guards)
    }
}

/// The compiled tools of an agent inside its hooks and guardrails, to test hooks or to use the tools without
/// a model.
///
/// A call allocates no memory beyond the allocations of the tool and the hooks.
///
/// ```
/// use onionskin::{Args, agent, tool};
/// use onionskin::run::ToolCaller;
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// agent! { Adder { instruction: "Add.", function_tools: [add_one] } }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let tools = ToolCaller::<Adder>::new();
/// let cx = tools.context("add_one").unwrap();
/// let output = tools.call(&cx, &mut Args::from(r#"{"x": 41}"#)).await.unwrap();
/// assert_eq!(output.to_text(), "42");
/// # });
/// ```
pub struct ToolCaller<A: Compiled> {
    entry: A::Entry,
    table: ToolTable,
    run: RunContext,
    call_id: Arc<str>,
    /// The number of contexts created so far.
    calls: AtomicU64,
}

impl<A: Compiled> ToolCaller<A> {
    /// Creates a caller for an agent without a state.
    ///
    /// # Panics
    /// Panics if the schema or a default of a tool panics.
    #[expect(clippy::new_without_default, reason = "it composes an onion, which is not a default value")]
    pub fn new() -> Self {
        Self::with_state(())
    }

    /// Creates a caller for an agent with a state, which all calls share.
    ///
    /// # Panics
    /// Panics if the schema or a default of a tool panics.
    pub fn with_state<S: Clone + Send + Sync + 'static>(state: S) -> Self {
        let guards = A::guards();
        let (core, entry) = A::compose(RuntimeHooks::default());
        let entries = core.definitions().into_iter().map(|(index, definition)| {
            let definition = definition.unwrap_or_else(|undefined| panic!("{undefined}"));
            let name = Arc::clone(&definition.name);
            let mut entry =
                ToolEntry::new(name, ToolSource::Function, None, definition, Target::Compiled(index));
            if let AgentGuards(Some(guards)) = &guards {
                entry.guard(guards);
            }
            entry
        });
        let (table, _) = ToolTable::new("", entries);
        let hooks = RunHooks { core: Some(core as _), ..RunHooks::default() };
        let run = RunContext::new(RunSeed { hooks, ..RunContext::detached_seed_of(state) });
        Self { entry, table, run, call_id: Arc::from("direct"), calls: AtomicU64::new(0) }
    }

    /// Provides a service, for tools and hooks that take [`Provided`](crate::Provided).
    ///
    /// # Panics
    /// Panics if [`context`](Self::context) was called before.
    #[must_use]
    pub fn provide<T: Service>(self, service: T) -> Self {
        self.provide_shared(Arc::new(service))
    }

    /// As [`Self::provide`], for a service in an [`Arc`], also of a trait object.
    ///
    /// # Panics
    /// As [`Self::provide`].
    #[must_use]
    pub fn provide_shared<T: ?Sized + Service>(mut self, service: Arc<T>) -> Self {
        assert!(
            self.run.provide(ProvidedService::new(service)),
            "provide services before the first context is made"
        );
        self
    }

    /// Creates the context of one call of a tool.
    ///
    /// # Errors
    /// Returns an error if the agent has no compiled tool with this name.
    #[inline]
    pub fn context(&self, tool: &str) -> ToolResult<ToolContext> {
        match self.table.find(tool) {
            Some(entry) => {
                let entry = Arc::clone(self.table.entry(entry));
                let [turn, call] = halves(self.calls.fetch_add(1, Ordering::Relaxed));
                Ok(ToolContext::new(self.run.clone(), entry, Arc::clone(&self.call_id), turn, call))
            }
            None => Err(self.unknown(tool)),
        }
    }

    #[cold]
    fn unknown(&self, tool: &str) -> Exit {
        Exit::Tool(ToolError::new(self.table.unknown(tool)).with_kind(ErrorKind::UnknownTool))
    }

    /// Calls the tool of a context of this caller through all hooks.
    ///
    /// Cancel safety: dropping the future cancels the call.
    ///
    /// # Errors
    /// Returns the errors of the tool and its hooks; also if [`Self::context`] of this caller did not make the
    /// context.
    ///
    /// # Panics
    /// Panics if the outermost hook is hand-written and panics before it returns its future. A run converts
    /// such a panic to an abort.
    #[inline]
    pub fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        // There are no dynamic hooks.
        if A::Entry::LOOKS || cx.entry().looks_at_args() {
            cx.definition().attach_to(args);
        }
        async move {
            // The position of the tool in another agent is not its position here.
            if !cx.run().is(&self.run) {
                return Err(foreign(cx.tool_name()));
            }
            outermost(cx, self.entry.call(cx, args)).await
        }
    }
}

#[cold]
fn foreign(tool: &str) -> Exit {
    Exit::tool(format!(
        "the context of `{tool}` was not made by this `ToolCaller`, so the call would reach another tool: make it with \
         `ToolCaller::context`, and provide services with `ToolCaller::provide`"
    ))
}

/// A unique position for each call, because these calls belong to no turn.
#[expect(clippy::cast_possible_truncation, reason = "both halves are kept")]
fn halves(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}
