//! Tools: the functions that a model can call.

/// Gives a trait the messages of [`Tool`], so that rustc reports a type that implements neither once.
macro_rules! not_a_tool {
    ($trait:item) => {
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a tool",
            label = "not a tool",
            note = "write `#[tool]` on the function and name the function here, or implement `Tool` for the type",
            note = "a hook belongs in `tool_hooks`, a toolbox in `toolboxes`, another agent in `agents`",
            note = "`name` alone is the function itself: write `name::default()` for a value of the tool"
        )]
        $trait
    };
}

mod function;
mod hand_written;
mod hook_tools;
mod offload;
mod other_thread;
mod private_types;
mod state;
mod toolbox;
mod with_policy;

use std::future::{Future, ready};
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use crate::context::Works;
pub use function::{Function, schema_by};
pub use offload::offload;
pub use other_thread::block_on;
#[doc(hidden)]
pub use private_types::{Nth, Same, Veiled};
pub use state::{FitsState, FitsTool, Make, ReachesInner};
pub use toolbox::{
    SharedToolbox, Toolbox, ToolboxPart, can_be_shared, is_method, is_of_toolbox, tool_of_method,
};
pub use toolbox::{ToolboxLink, disagreement};
pub use with_policy::{Body, BothStates, Own};

use crate::context::{DynCall, Target, ToolContext};
use crate::policy::ToolPolicy;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{Exit, ToolError, ToolResult};
use onionskin_definitions::output::ToolOutput;
use onionskin_definitions::requirements::StateType;

/// A tool that a model can call. `#[tool]` on a function implements it for a generated type with the
/// function's name. Implement it yourself for other kinds of tools.
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
    note = "`name` alone is the function itself: write `name::default()` for a value of the tool"
)]
pub trait Tool: Send + Sync + 'static {
    /// The tool's name, which equals the name in [`Self::definition`]: letters A to Z, digits, `_`, `-` and
    /// `.`, at most 64 characters. `agent!` rejects two tools with the same name.
    const NAME: &'static str;

    /// The agent state that the tool takes: `State<S>`, or `()` for none. `agent!` and the builders of agents
    /// compare it with the agent's state.
    type State: Works;

    /// The definition of the tool: the model's view of it, and its options. A wrapper may return the
    /// definition of another tool, or a changed clone of it. [`Self::fit_args`] checks arguments against it.
    fn definition(&self) -> &ToolDefinition;

    /// Runs the tool. Hooks and the stages below run around this method. [`Self::fit_args`] has checked and
    /// converted the arguments.
    ///
    /// Cancel safety: the future is dropped when the call is cancelled or times out. Effects up to that point
    /// remain, so a tool should have its effects in one step, or declare `Effect::Once`.
    ///
    /// # Errors
    /// Any `Exit`.
    fn run<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a;

    /// Runs before [`Self::fit_args`] and [`Self::run`], and can change the arguments.
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// Any [`Exit`]; the tool then does not run. [`Self::on_error`] handles a tool error.
    fn on_invoke<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult<()>> + Send + 'a {
        let _ = (cx, args);
        ready(Ok(()))
    }

    /// Runs after [`Self::run`], and returns the output of the call.
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// Any [`Exit`], which replaces the output. [`Self::on_error`] handles a tool error.
    fn on_output<'a>(
        &'a self,
        cx: &'a ToolContext,
        output: ToolOutput,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        let _ = cx;
        ready(Ok(output))
    }

    /// Handles tool errors of the three methods above and of [`Self::fit_args`], including panics, but no
    /// stops and aborts.
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// Any [`Exit`]. If it returns another tool error, the model gets both errors, or only the new one if the
    /// first error is its source.
    fn on_error<'a>(
        &'a self,
        cx: &'a ToolContext,
        error: ToolError,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        let _ = cx;
        ready(Err(Exit::Tool(error)))
    }

    /// Runs a call through the stages: [`Self::on_invoke`], [`Self::fit_args`], [`Self::run`],
    /// [`Self::on_output`], and [`Self::on_error`] if one of them fails. Agents and
    /// [`ToolSpec`](crate::ToolSpec)s call this method, never [`Self::run`].
    ///
    /// For a `#[tool]` function, which has no stages, it only calls [`Self::run`]. A hand-written tool need
    /// not override it.
    ///
    /// Cancel safety: as [`Self::run`].
    ///
    /// # Errors
    /// Any [`Exit`].
    fn run_staged<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a
    where
        Self: Sized,
    {
        hand_written::staged(self, cx, args)
    }

    /// Checks the arguments and converts them to the types of the schema, after hooks, guardrails, bound
    /// values and [`Self::on_invoke`], just before [`Self::run`]. So `run` never gets arguments that do not
    /// fit the schema. The default is [`ToolDefinition::fit_args`] of [`Self::definition`].
    ///
    /// A tool that accepts any arguments, or checks them itself, returns `Ok(())` here. So does a wrapper
    /// that calls [`Self::run_staged`] of another tool, which checks them. A tool can add rules beyond its
    /// schema:
    ///
    /// ```
    /// # use std::sync::LazyLock;
    /// # use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
    /// # struct Book;
    /// # static BOOK: LazyLock<ToolDefinition> = LazyLock::new(|| ToolDefinition::new(Book::NAME, "Books a room."));
    /// # impl Tool for Book {
    /// #     const NAME: &'static str = "book";
    /// #     type State = ();
    /// #     fn definition(&self) -> &ToolDefinition { &BOOK }
    /// #     async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
    /// #         Ok(ToolOutput::text(args.text().to_string()))
    /// #     }
    /// fn fit_args(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
    ///     Tool::definition(self).fit_args(args)?;
    ///     if args["from"].as_u64() > args["to"].as_u64() { Err("`from` is after `to`".into()) } else { Ok(()) }
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// Any [`Exit`]; the tool then does not run. [`Self::on_error`] handles a tool error.
    fn fit_args(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        let _ = cx;
        self.definition().fit_args(args)
    }

    /// Checks the arguments of a call that may need approval before the approver is asked, so that nobody
    /// decides about a call that the tool would refuse. It runs again after guardrails, which can change the
    /// arguments. It must not have effects.
    ///
    /// The default is [`Self::fit_args`] on a copy of the arguments. If [`Self::on_invoke`] completes
    /// arguments, override this to accept incomplete ones. A wrapper of another tool calls that tool's
    /// method.
    ///
    /// # Errors
    /// Any [`Exit`]; the tool then does not run, and the approver is not asked.
    fn check_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.fit_args(cx, &mut args.clone())
    }

    /// Returns the same tool with more stages inside its own hooks and stages. A
    /// [`ToolSpec`](crate::ToolSpec) calls it for added guardrails, approval, caches, error handlers and
    /// bound values.
    ///
    /// `None`, the default, means that the `ToolSpec` runs them around the tool. A `#[tool]` function with
    /// its own hooks or stages runs them inside these, so its hooks do not see bound values.
    ///
    /// The tool then checks its arguments inside these stages, and [`DynTool::fit_args_dyn`] is not called.
    ///
    /// Only wrappers of other tools override it, and forward `more` to the wrapped tool. [`ToolPolicy`] has
    /// an example.
    fn with_policy(&self, more: &ToolPolicy) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = more;
        None
    }
}

/// A tool as a trait object: an MCP tool, a child agent, a built-in tool. It is implemented for every
/// [`Tool`].
///
/// A wrapper of another tool, for example to log its calls, forwards all methods. The defaults are for tools
/// that wrap nothing.
///
/// ```
/// use std::sync::Arc;
/// use onionskin::spec::{StateType, ToolPolicy};
/// use onionskin::{Args, BoxFuture, DynTool, ToolContext, ToolDefinition, ToolResult, ToolSpec, call};
///
/// /// Prints each call of another tool.
/// struct Printed(Arc<dyn DynTool>);
///
/// impl DynTool for Printed {
///     fn definition(&self) -> &ToolDefinition {
///         self.0.definition()
///     }
///
///     fn run_dyn<'a>(
///         &'a self,
///         cx: &'a ToolContext,
///         args: &'a mut Args,
///     ) -> BoxFuture<'a, ToolResult> {
///         println!("{} {}", cx.tool_name(), args.text());
///         self.0.run_dyn(cx, args)
///     }
///
///     fn fit_args_dyn(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
///         self.0.fit_args_dyn(cx, args)
///     }
///
///     fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
///         self.0.check_args_dyn(cx, args)
///     }
///
///     fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
///         Some(Arc::new(Self(self.0.with_policy_dyn(more)?)))
///     }
///
///     fn states(&self) -> Vec<StateType> {
///         self.0.states()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let now = ToolSpec::from_fn("now", "The time.", |(): (), _| async { Ok(12) });
/// let printed = ToolSpec::from_dyn(Arc::new(Printed(Arc::new(now))));
/// assert_eq!(call!(printed).await.unwrap(), 12);
/// # });
/// ```
pub trait DynTool: Send + Sync + 'static {
    /// The definition of the tool: the model's view of it, and its options.
    fn definition(&self) -> &ToolDefinition;

    /// Runs the tool, with arguments that [`Self::fit_args_dyn`] accepted. For a [`Tool`] this is
    /// [`Tool::run_staged`].
    ///
    /// Cancel safety: as [`Tool::run`].
    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// Checks the arguments and converts them to the types of the schema, just before [`Self::run_dyn`].
    /// Agents and [`ToolSpec`](crate::ToolSpec)s call both methods, in this order. The default is
    /// [`ToolDefinition::fit_args`] of [`Self::definition`]; a tool that accepts any arguments, or checks
    /// them itself, returns `Ok(())`. So does a [`Tool`], whose [`Tool::run_staged`] calls
    /// [`Tool::fit_args`].
    ///
    /// # Errors
    /// Any [`Exit`]; the tool then does not run.
    fn fit_args_dyn(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        let _ = cx;
        self.definition().fit_args(args)
    }

    /// Checks the arguments of a call that may need approval, as [`Tool::check_args`]. The default is
    /// [`Self::fit_args_dyn`] on a copy of the arguments.
    ///
    /// # Errors
    /// Any [`Exit`]; the tool then does not run, and the approver is not asked.
    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.fit_args_dyn(cx, &mut args.clone())
    }

    /// Returns the same tool with more stages inside its own, as [`Tool::with_policy`]. The default is
    /// `None`: the stages run around the tool. A wrapper forwards `more` to the wrapped tool, and wraps the
    /// answer.
    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        let _ = more;
        None
    }

    /// The agent states that the tool takes: for a [`Tool`] its [`Tool::State`]. An agent with another state
    /// that gets the tool from its builder, its declaration, a toolbox or a source is not built
    /// (`BuildError::ToolState`). The default list is empty: a tool that needs a state that its agent lacks
    /// then fails at its first call.
    fn states(&self) -> Vec<StateType> {
        Vec::new()
    }
}

/// A [`DynTool`] as the target of calls.
pub struct Dynamic(pub(crate) Arc<dyn DynTool>);

impl DynCall for Dynamic {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        run_fitted(&*self.0, cx, args)
    }

    fn check(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.0.check_args_dyn(cx, args)
    }
}

/// Checks the arguments, and runs the tool if they fit.
pub(crate) fn run_fitted<'a>(
    tool: &'a dyn DynTool,
    cx: &'a ToolContext,
    args: &'a mut Args,
) -> BoxFuture<'a, ToolResult> {
    match tool.fit_args_dyn(cx, args) {
        Ok(()) => tool.run_dyn(cx, args),
        Err(exit) => Box::pin(ready(Err(exit))),
    }
}

impl Dynamic {
    /// Wraps a tool as the target of calls.
    pub fn target(tool: Arc<dyn DynTool>) -> Target {
        Target::Dynamic(Arc::new(Self(tool)))
    }
}

impl<T: Tool> DynTool for T {
    fn definition(&self) -> &ToolDefinition {
        Tool::definition(self)
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(self.run_staged(cx, args))
    }

    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.check_args(cx, args)
    }

    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        self.with_policy(more).map(|tool| Arc::new(tool) as _)
    }

    fn states(&self) -> Vec<StateType> {
        let mut states = Vec::new();
        T::State::on(&mut states);
        states
    }
}
