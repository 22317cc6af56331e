//! Tools: the functions that a model can call.

mod function;
mod offload;
mod other_thread;
mod own;
mod stages;
mod toolbox;

use std::any::{TypeId, type_name};
use std::future::{Future, ready};
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use function::{Function, schema_by};
pub use offload::offload;
pub(crate) use other_thread::block_on;
pub use own::{Body, BothStates, Own};
pub use toolbox::{
    SharedToolbox, Toolbox, ToolboxLink, ToolboxPart, can_be_shared, is_method, is_of_toolbox, tool_of_method,
};

use crate::args::Args;
use crate::context::{DynCall, State, Target, ToolContext};
use crate::definition::{ToolDefinition, refusal};
use crate::error::{Exit, ToolError, ToolResult};
use crate::output::ToolOutput;
use crate::policy::ToolPolicy;

/// A tool that a model can call. `#[tool]` on a function implements it for a generated type with the function's name.
/// Implement it by hand for other kinds of tools.
///
/// ```
/// use std::sync::LazyLock;
/// use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
///
/// #[derive(Default)]
/// struct Echo;
///
/// static ECHO: LazyLock<ToolDefinition> =
///     LazyLock::new(|| ToolDefinition::new(Echo::NAME, "Gives its arguments back."));
///
/// impl Tool for Echo {
///     const NAME: &'static str = "echo";
///     type State = ();
///     fn definition(&self) -> &ToolDefinition {
///         &ECHO
///     }
///     async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
///         Ok(ToolOutput::text(args.text().to_string()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function and name the function here, or implement `Tool` for the type",
    note = "a hook belongs in `tool_hooks`, a toolbox in `toolboxes`, another agent in `agents`",
    note = "a function's name is a value of the function: where a value of the tool is wanted, write `name::default()`"
)]
pub trait Tool: Send + Sync + 'static {
    /// The tool's name, which equals the name in [`Self::definition`]: letters A to Z, digits, `_`, `-` and `.`, at
    /// most 64 characters. `agent!` rejects two tools with the same name.
    const NAME: &'static str;

    /// The state that the tool works on: `State<S>`, or `()` for none. `agent!` and the builders of agents compare it
    /// with the agent's state.
    type State: Works;

    /// The definition of the tool: the model's view of it, and its options.
    fn definition(&self) -> &ToolDefinition;

    /// Runs the tool. Hooks and the stages below run around this method.
    ///
    /// # Errors
    /// Any [`Exit`](crate::Exit).
    fn run<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a;

    /// Runs before [`Self::run`]. It can read and change the arguments.
    ///
    /// # Errors
    /// Any [`Exit`]: the tool then does not run. A tool error is passed to [`Self::on_error`].
    fn on_invoke<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult<()>> + Send + 'a {
        let _ = (cx, args);
        ready(Ok(()))
    }

    /// Runs after [`Self::run`]. It returns the output of the call.
    ///
    /// # Errors
    /// Any [`Exit`], in place of the output. A tool error is passed to [`Self::on_error`].
    fn on_output<'a>(
        &'a self,
        cx: &'a ToolContext,
        output: ToolOutput,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        let _ = cx;
        ready(Ok(output))
    }

    /// Handles a tool error of the three methods above, panics included. A stop and an abort do not reach it.
    ///
    /// # Errors
    /// Any [`Exit`]. If it returns another tool error, the model gets both errors. If that error has the first one as
    /// its source, the model gets only that error.
    fn on_error<'a>(
        &'a self,
        cx: &'a ToolContext,
        error: ToolError,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        let _ = cx;
        ready(Err(Exit::Tool(error)))
    }

    /// Runs `core` between the stages above. `core` is the tool, or its typed hooks around it. A `#[tool]` has no
    /// stages.
    #[doc(hidden)]
    fn staged<'a, F, Fut>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        core: F,
    ) -> impl Future<Output = ToolResult> + Send + 'a
    where
        Self: Sized,
        F: FnOnce(&'a Self, &'a ToolContext, &'a mut Args) -> Fut + Send + 'a,
        Fut: Future<Output = ToolResult> + Send + 'a,
    {
        stages::staged(self, cx, args, core)
    }

    /// The same tool with more stages after its declared ones, if it has a place for them.
    #[doc(hidden)]
    fn with_policy(&self, more: &ToolPolicy) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = more;
        None
    }
}

/// A tool as a trait object: an MCP tool, a child agent, a built-in tool.
pub trait DynTool: Send + Sync + 'static {
    /// The definition of the tool: the model's view of it, and its options.
    fn definition(&self) -> &ToolDefinition;

    /// Runs the tool.
    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// The refusal of these arguments, as far as it is known before the tool runs.
    #[doc(hidden)]
    fn refusal_dyn(&self, args: &mut Args) -> Option<Exit> {
        let _ = args;
        None
    }

    /// As [`Tool::with_policy`].
    #[doc(hidden)]
    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        let _ = more;
        None
    }

    /// The states that the tool works on, as far as its type is known.
    #[doc(hidden)]
    fn works_on(&self) -> Vec<WorksOn> {
        Vec::new()
    }

    /// [`Tool::NAME`], for a tool that has one.
    #[doc(hidden)]
    fn declared_name(&self) -> Option<&'static str> {
        None
    }
}

/// A [`DynTool`] as the target of calls.
pub(crate) struct Dynamic(pub(crate) Arc<dyn DynTool>);

impl DynCall for Dynamic {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.0.run_dyn(cx, args)
    }
}

impl Dynamic {
    /// The target of a tool's calls.
    pub(crate) fn target(tool: Arc<dyn DynTool>) -> Target {
        Target::Dynamic(Arc::new(Self(tool)))
    }
}

impl<T: Tool> DynTool for T {
    fn definition(&self) -> &ToolDefinition {
        Tool::definition(self)
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(self.staged(cx, args, T::run))
    }

    fn refusal_dyn(&self, args: &mut Args) -> Option<Exit> {
        refusal(Tool::definition(self), args)
    }

    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        self.with_policy(more).map(|tool| Arc::new(tool) as _)
    }

    fn works_on(&self) -> Vec<WorksOn> {
        let mut states = Vec::new();
        T::State::on(&mut states);
        states
    }

    fn declared_name(&self) -> Option<&'static str> {
        Some(T::NAME)
    }
}

/// Constructs the tool `T` for `agent!` from its name. The tool's state is the first parameter, so that a type that
/// does not implement `Tool` is reported as that only.
#[diagnostic::on_unimplemented(
    message = "`agent!` cannot make the tool `{T}` from its name",
    label = "has no `Default`",
    note = "derive `Default` for it, or write a function with `#[tool]`"
)]
pub trait Make<T> {
    #[doc(hidden)]
    fn make() -> T;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Make<T> for () {
    fn make() -> T {
        T::default()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Default, S> Make<T> for State<S> {
    fn make() -> T {
        T::default()
    }
}

/// The state that a tool or a hook works on, checked against the agent's state `S`.
#[diagnostic::on_unimplemented(
    message = "the state types differ: this takes `{Self}`, and the agent's state is `{S}`",
    label = "works on another state than the agent's `{S}`",
    note = "give the agent the state that is wanted with `state: ..` (without it, its state is `()`), or change the \
            state that this takes (`State<..>`, `state = ..`)"
)]
pub trait FitsState<S> {
    #[doc(hidden)]
    const FITS: () = ();
}

#[diagnostic::do_not_recommend]
impl<S> FitsState<S> for () {}

/// The state that a tool's own hook or guardrail works on, checked against the tool's state `S`.
#[diagnostic::on_unimplemented(
    message = "the state types differ: this takes `{Self}`, and the tool takes `State<{S}>`",
    label = "works on another state than the tool",
    note = "an agent has one state, and whatever its calls go through works on that: change one of the two"
)]
pub trait FitsTool<S> {
    /// A bound check at the place that the macro points to.
    #[doc(hidden)]
    const FITS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<S> FitsTool<S> for () {}

#[diagnostic::do_not_recommend]
impl<S> FitsTool<S> for State<S> {}

#[diagnostic::do_not_recommend]
impl<S> FitsState<S> for State<S> {}

impl<S, A: FitsState<S>, B: FitsState<S>> FitsState<S> for (A, B) {}

/// The states of a tool and of its own hooks and guardrails, as their authors named them. They are checked against an
/// agent's state, so that compiler errors name only these types.
// The messages equal those of [`Works`], so that a type that implements neither is reported once.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "no tool works on `{Self}`",
    label = "not the state of a tool",
    note = "write `type State = ()`, or `type State = State<S>` for a tool that takes the agent's state `S`"
)]
pub trait States {
    /// Several states as nested pairs.
    type All;
}

impl States for () {
    type All = ();
}

impl<S> States for State<S> {
    type All = Self;
}

/// The states that a tool works on, for a check against an agent whose type is unknown.
#[diagnostic::on_unimplemented(
    message = "no tool works on `{Self}`",
    label = "not the state of a tool",
    note = "write `type State = ()`, or `type State = State<S>` for a tool that takes the agent's state `S`"
)]
pub trait Works {
    #[doc(hidden)]
    fn on(into: &mut Vec<WorksOn>);
}

/// One state that a tool works on.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorksOn {
    /// The type id of `State<S>`.
    pub(crate) id: TypeId,
    /// The name of `S`.
    pub(crate) name: &'static str,
}

impl Works for () {
    fn on(_: &mut Vec<WorksOn>) {}
}

impl<S: 'static> Works for State<S> {
    fn on(into: &mut Vec<WorksOn>) {
        into.push(WorksOn { id: TypeId::of::<Self>(), name: type_name::<S>() });
    }
}
