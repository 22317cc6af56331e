//! Tools: the functions that a model can call.

mod function;
mod hand_written;
mod offload;
mod other_thread;
mod state;
mod toolbox;
mod with_policy;

use std::future::{Future, ready};
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use function::{Function, schema_by};
pub use offload::offload;
pub(crate) use other_thread::block_on;
pub use state::{FitsState, FitsTool, Make, States, Works};
pub(crate) use toolbox::ToolboxLink;
pub use toolbox::{
    SharedToolbox, Toolbox, ToolboxPart, can_be_shared, is_method, is_of_toolbox, tool_of_method,
};
pub use with_policy::{Body, BothStates, Own};

use crate::args::Args;
use crate::context::{DynCall, StateType, Target, ToolContext};
use crate::definition::{ToolDefinition, check_shown};
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
    note = "the function's name is the function; for a value of the tool, write `name::default()`"
)]
pub trait Tool: Send + Sync + 'static {
    /// The tool's name, which equals the name in [`Self::definition`]: letters A to Z, digits, `_`, `-` and `.`, at
    /// most 64 characters. `agent!` rejects two tools with the same name.
    const NAME: &'static str;

    /// The state that the tool works on: `State<S>`, or `()` for none. `agent!` and the builders of agents compare it
    /// with the agent's state.
    type State: Works;

    /// The definition of the tool: the model's view of it, and its options. A wrapper may return the definition of another
    /// tool, or a changed clone of it; see [`Self::check_args`] for what is checked then.
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

    /// Runs a call through the stages: [`Self::on_invoke`], [`Self::run`], [`Self::on_output`], and [`Self::on_error`] if
    /// one of them fails. Agents and [`ToolSpec`](crate::ToolSpec)s call this method, and never [`Self::run`] itself.
    ///
    /// A `#[tool]` function has no stages, so its method only calls [`Self::run`]. A hand-written tool does not need to
    /// override it.
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

    /// Checks the arguments of a call that can need approval, before the approver is asked, so that the approver does not
    /// decide about a call that the tool would refuse. It runs again after guardrails, which can change the arguments.
    /// Other calls skip it, so [`Self::run`] has to check its arguments too. It must not have effects.
    ///
    /// A `#[tool]` function checks its arguments. A hand-written tool accepts all by default. If its [`Self::definition`] is
    /// that of a `#[tool]` function, it accepts those that fit the schema in this definition, because the model saw this
    /// schema; limits of the function's types that the schema does not show are not checked. A wrapper of another tool
    /// calls the other tool's method. A hand-written tool can check them against its own schema:
    ///
    /// ```
    /// # use std::sync::LazyLock;
    /// # use onionskin::{Args, Exit, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
    /// # struct Echo;
    /// # static ECHO: LazyLock<ToolDefinition> = LazyLock::new(|| ToolDefinition::new(Echo::NAME, "Gives its arguments back."));
    /// # impl Tool for Echo {
    /// #     const NAME: &'static str = "echo";
    /// #     type State = ();
    /// #     fn definition(&self) -> &ToolDefinition { &ECHO }
    /// #     async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
    /// #         Ok(ToolOutput::text(args.text().to_string()))
    /// #     }
    /// fn check_args(&self, _cx: &ToolContext, args: &Args) -> ToolResult<()> {
    ///     let definition = Tool::definition(self);
    ///     definition.fit(args).map(drop).map_err(|problems| Exit::Tool(definition.refuse(&problems)))
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// Any [`Exit`]: the tool does not run, and the approver is not asked.
    fn check_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        let _ = cx;
        check_shown(self.definition(), args)
    }

    /// The same tool with more stages inside its own hooks and stages. A [`ToolSpec`](crate::ToolSpec) calls it for
    /// guardrails, approval, a cache, error handlers and bound values that are added to it.
    ///
    /// `None`, the default, means that the tool has no place for them: the `ToolSpec` then runs them around the tool. A
    /// `#[tool]` function with hooks or stages of its own has a place, so its hooks do not see bound values.
    ///
    /// Only a wrapper of another tool overrides it: it forwards `more` to that tool. [`ToolPolicy`] has an example.
    fn with_policy(&self, more: &ToolPolicy) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = more;
        None
    }
}

/// A tool as a trait object: an MCP tool, a child agent, a built-in tool. Every [`Tool`] is one.
///
/// A wrapper of another tool, for example to log its calls, forwards all methods. Each default is an answer for a tool
/// that wraps nothing.
///
/// ```
/// use std::future::Future;
/// use std::pin::Pin;
/// use std::sync::Arc;
/// use onionskin::spec::{StateType, ToolPolicy};
/// use onionskin::{Args, DynTool, ToolContext, ToolDefinition, ToolResult, ToolSpec, call};
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
///     ) -> Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>> {
///         println!("{} {}", cx.tool_name(), args.text());
///         self.0.run_dyn(cx, args)
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

    /// Runs the tool. For a [`Tool`] this is [`Tool::run_staged`].
    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// Checks the arguments of a call that can need approval, as [`Tool::check_args`]. The default is the one
    /// of a hand-written [`Tool`].
    ///
    /// # Errors
    /// Any [`Exit`]: the tool does not run, and the approver is not asked.
    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        let _ = cx;
        check_shown(self.definition(), args)
    }

    /// The same tool with more stages inside its own, as [`Tool::with_policy`]. The default is `None`: the stages run
    /// around the tool. A wrapper forwards `more` to the tool that it wraps, and wraps the answer.
    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        let _ = more;
        None
    }

    /// The states that the tool works on: for a [`Tool`] its [`Tool::State`]. An agent that gets the tool
    /// from its builder and has another state is not built ([`BuildError::ToolState`](crate::BuildError::ToolState)). By default the list is empty: a tool
    /// that needs a state which its agent does not have fails at its first call.
    fn states(&self) -> Vec<StateType> {
        Vec::new()
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
        Box::pin(self.run_staged(cx, args))
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
