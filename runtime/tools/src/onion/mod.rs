//! The onion: layers of hooks around the core that runs the tools.
//!
//! `agent!` generates a struct for each hook of an agent and one for its core. Each struct contains the next
//! one, so the whole chain is known at compile time, and a call through it allocates no memory. All generic
//! code is here; `agent!` generates only names.

mod attempt;
mod caller;
mod dynamic;
mod hook_exit;
mod hook_tools;
mod known;
mod latch;
mod made;
mod next;
mod panics;
mod reaching;
mod traced;

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use self::attempt::short_name;
pub use self::attempt::{call_dynamic, call_tool, outermost};
pub use crate::caught::{caught, caught_async};
pub use caller::{AgentGuards, Compiled, ToolCaller};
pub(crate) use dynamic::DynNext;
pub use dynamic::{Bulkhead, RuntimeHooks, Seam, trace_hook, traced_next};
pub use dynamic::{DynHook, Filtered};
pub(crate) use hook_exit::LastInner;
pub(crate) use hook_tools::HookTool;
pub use hook_tools::HookTools;
pub use known::{Is, Known, has_each, has_no_more, value_count};
pub use made::InArc;
pub use made::{AtRunTime, ByDefault, ForEachClone, FromValues, ListValues, MadeBy, StateOf, Values};
pub use next::{Forked, InnerNext, Next};
pub(crate) use panics::{Caught, hook_panicked, panic_exit, tool_panicked};
pub use reaching::reaching;
pub use traced::{Absent, at_place};
pub(crate) use traced::{hooks_are_traced, in_span};

use crate::context::ToolContext;
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::ToolResult;

/// One layer of an onion, or its core. `agent!` generates it.
pub trait Call: Send + Sync + 'static {
    /// Whether a layer can read the arguments before the tool does.
    const LOOKS: bool = true;

    /// Runs this layer and the layers inside it.
    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send;

    /// As `call`, with a span for each hook. The core has none.
    fn call_traced<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(self.call(cx, args))
    }
}

/// The core of an onion. Its `call` uses [`call_tool`], so the run sees an abort of the tool at once.
pub trait Core: Call {
    /// The compiled tools and their indices.
    fn definitions(&self) -> Definitions;
}

/// The compiled tools of an agent and their indices.
pub type Definitions = Vec<(usize, Result<ToolDefinition, Undefined>)>;

/// A tool with an unusable definition.
#[doc(hidden)]
#[derive(Debug, thiserror::Error)]
pub enum Undefined {
    #[error("the schema of the tool `{tool}` panicked: {reason}")]
    Panicked { tool: &'static str, reason: String },
    #[error("the tool `{tool}` has another name in its definition, `{defined}`")]
    Misnamed { tool: &'static str, defined: Arc<str> },
}

/// Returns the definition of a tool. Defaults and schemas are user code, so a panic is reported with the
/// tool's name.
///
/// # Errors
/// Returns an error if the function panics, or if the definition has another name.
pub fn define<'t>(
    tool: &'static str,
    definition: &dyn Fn() -> &'t ToolDefinition,
) -> Result<ToolDefinition, Undefined> {
    let definition = caught(definition).map_err(|reason| Undefined::Panicked { tool, reason })?;
    if *definition.name == *tool {
        Ok(definition.clone())
    } else {
        Err(Undefined::Misnamed { tool, defined: Arc::clone(&definition.name) })
    }
}

/// A core without compiled tools: all calls are those of dynamic ones.
pub struct NoCore;

impl Call for NoCore {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send {
        call_tool(cx, args, async move |args| call_dynamic(cx, args).await)
    }
}

impl Core for NoCore {
    fn definitions(&self) -> Definitions {
        Vec::new()
    }
}

/// The innermost layer and the run share the core; the run uses it for calls that bypass the hooks.
impl<C: Core> Call for Arc<C> {
    const LOOKS: bool = C::LOOKS;

    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send {
        (**self).call(cx, args)
    }

    fn call_traced<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        (**self).call_traced(cx, args)
    }
}

/// Middleware around tool calls. `#[tool_hook]` on a function implements it for a generated type with the
/// function's name.
///
/// ```
/// use onionskin::{Args, Hook, Next, ToolContext, ToolResult};
///
/// /// Lets only calls through that name a city.
/// #[derive(Default)]
/// struct CityOnly;
///
/// impl Hook for CityOnly {
///     type Made = onionskin::made::ByDefault;
///
///     async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
///         if args.get("city").is_none() {
///             return Err("name a city".into());
///         }
///         next.run(args).await
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool hook",
    label = "not a hook",
    note = "write `#[tool_hook]` on the function and name the function here, or implement `Hook` for the type",
    note = "a tool belongs in `function_tools`, a guardrail in `input_guardrails` or `output_guardrails`, a `#[run_hook]` in \
            `run_hooks`, a `#[turn_hook]` in `turn_hooks`, a `#[message_hook]` in `message_hooks`",
    note = "`name` alone is the function itself: pass `name::new(..)` to `.hook(..)`"
)]
pub trait Hook: Send + Sync + Sized + 'static {
    /// How lists construct the hook, and which agent state it takes: a type of `made`. A hand-written hook
    /// uses `ByDefault` or `FromValues` if `agent!` or a tool's list constructs it, and `AtRunTime` if it is
    /// only added with `.hook(..)`.
    type Made: MadeBy<Self>;

    /// Whether the hook runs the inner layers again after an error, as `hooks::retry` does. If a filter then
    /// applies the hook to tools whose calls must not be repeated, building the agent fails
    /// (`BuildError::NotRepeated`).
    const REPEATS: bool = false;

    /// Runs around a call. `next.run(args)` runs the inner hooks and the tool. A hook that does not call it
    /// answers in their place.
    ///
    /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any `await`. A
    /// panic of the hook aborts the run.
    ///
    /// # Errors
    /// Any `Exit`. An abort ends the run, whatever outer hooks return.
    fn call<'a, 'b, N: Next>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
        next: N,
    ) -> impl Future<Output = ToolResult> + Send;

    /// Lists the services that the hook takes with [`ToolContext::provided`], and the agent state that it
    /// takes. `#[tool_hook]` generates it. Building an agent compares the list with the provided services and
    /// the agent's state. The default list is empty. A wrapper of another hook forwards it.
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }

    /// Lists the tools that the hook brings to its agents, such as one that reads what the hook stored. Each agent whose
    /// calls it is around has them, also without a call that its filter accepts; with the filter `everywhere`, the agents
    /// below too. Two hooks can bring one tool. Building an agent that has another tool of the name fails
    /// (`BuildError::HookTool`). A hook of a tool or of a [`ToolSpec`](crate::ToolSpec) brings none. The default list is
    /// empty. A wrapper of another hook forwards it.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use onionskin::made::{ByDefault, HookTools};
    /// use onionskin::{Args, Hook, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool};
    /// use serde_json::json;
    ///
    /// static CALLED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    ///
    /// /// Lists the tools that were called before.
    /// #[tool]
    /// fn called() -> Vec<String> {
    ///     CALLED.lock().unwrap().clone()
    /// }
    ///
    /// /// Notes each call.
    /// #[derive(Default)]
    /// struct Notes;
    ///
    /// impl Hook for Notes {
    ///     type Made = ByDefault;
    ///
    ///     fn tools(brought: &mut HookTools) {
    ///         brought.add(called::default());
    ///     }
    ///
    ///     async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
    ///         CALLED.lock().unwrap().push(cx.tool_name().to_owned());
    ///         next.run(args).await
    ///     }
    /// }
    ///
    /// agent! { Clerk { instruction: "Answer.", tool_hooks: [Notes] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("called", json!({})), ScriptedTurn::say("{last}")]);
    /// assert_eq!(Clerk::builder().model(model).run("What was called?").await.unwrap().text, r#"["called"]"#);
    /// # });
    /// ```
    fn tools(brought: &mut HookTools) {
        let _ = brought;
    }

    /// The hook's name in descriptions of agents, if it is not the name of its type, for example a script's
    /// function.
    fn shown_name(&self) -> Option<String> {
        None
    }
}

/// A shared hook.
#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Arc<H> {
    type Made = InArc<H::Made>;

    const REPEATS: bool = H::REPEATS;

    fn services(taken: &mut ServiceTypes) {
        H::services(taken);
    }

    fn tools(brought: &mut HookTools) {
        H::tools(brought);
    }

    fn shown_name(&self) -> Option<String> {
        (**self).shown_name()
    }

    #[inline]
    fn call<'a, 'b, N: Next>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
        next: N,
    ) -> impl Future<Output = ToolResult> + Send {
        (**self).call(cx, args, next)
    }
}
