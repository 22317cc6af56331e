//! The onion: layers of hooks around the core that runs the tools.
//!
//! `agent!` generates one struct for each hook of an agent and one for its core. Each struct holds the next one, so the
//! whole chain is known at compile time and a call through it allocates nothing. All generic code is here; `agent!`
//! generates only names.

mod attempt;
mod caller;
mod dynamic;
mod hook_exit;
mod known;
mod latch;
mod made;
mod next;
mod original;
mod panics;
mod reaching;
mod traced;

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use self::attempt::short_name;
pub use self::attempt::{call_dynamic, call_tool};
pub use crate::caught::{caught, caught_async};
pub use caller::{AgentGuards, Compiled, ToolCaller};
pub(crate) use dynamic::DynNext;
pub use dynamic::{Bulkhead, RuntimeHooks, Seam, trace_hook, traced_next};
pub use dynamic::{DynHook, Filtered, outermost};
pub(crate) use hook_exit::LastInner;
pub use known::{Is, Known, has_each, has_no_more, taken};
pub use made::InArc;
pub use made::{AtRunTime, ByDefault, ForEachClone, FromValues, ListValues, MadeBy, StateOf, Values};
pub(crate) use next::Latched;
pub use next::{Forked, InnerNext, Next};
pub(crate) use panics::{Caught, hook_panicked, panic_exit, tool_panicked};
pub use reaching::{both, reaching};
pub use traced::{Absent, at_place};
pub(crate) use traced::{hooks_are_traced, in_span};

use crate::context::ToolContext;
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::ToolResult;

/// One layer of an onion, or its core. `agent!` generates it.
pub trait Call: Send + Sync + 'static {
    /// Whether a layer can look at the arguments before the tool does.
    const LOOKS: bool = true;

    /// Runs this layer and those inside it.
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

/// The runtime's view of an onion's core. Its `call` is a [`call_tool`], so the run sees an abort of the tool at once.
pub trait Core: Call {
    /// The compiled tools and their indices.
    fn definitions(&self) -> Definitions;
}

/// The compiled tools of an agent and their indices.
pub type Definitions = Vec<(usize, Result<ToolDefinition, Undefined>)>;

/// A tool whose definition is unusable.
#[doc(hidden)]
#[derive(Debug, thiserror::Error)]
pub enum Undefined {
    #[error("the schema of the tool `{tool}` panicked: {reason}")]
    Panicked { tool: &'static str, reason: String },
    #[error("the tool `{tool}` has another name in its definition, `{defined}`")]
    Misnamed { tool: &'static str, defined: Arc<str> },
}

/// The definition of a tool. Defaults and schemas are functions of the program; a panic of one is reported with the
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

/// Both the innermost layer and the run hold the core; the run uses it for calls past the hooks.
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

/// Middleware around tool calls. `#[tool_hook]` on a function implements it for a generated type with the function's
/// name.
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
    /// How lists construct the hook, and which state it works on: a type of `made`. A hand-written hook has
    /// `ByDefault` or `FromValues` if `agent!` or a tool's list
    /// constructs it, or `AtRunTime` if it is only added with `.hook(..)`.
    type Made: MadeBy<Self>;

    /// Whether the hook runs what is inside again after an error, as `hooks::retry` does. An agent is then not built if a
    /// filter names tools for the hook whose calls must not be repeated (`BuildError::NotRepeated`).
    const REPEATS: bool = false;

    /// Runs around a call. `next.run(args)` runs the hooks inside and the tool. A hook that does not call it answers in
    /// their place.
    ///
    /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits. A panic
    /// of the hook aborts the run.
    ///
    /// # Errors
    /// Any `Exit`. An abort ends the run, whatever hooks outside return.
    fn call<'a, 'b, N: Next>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
        next: N,
    ) -> impl Future<Output = ToolResult> + Send;

    /// Lists the services that the hook takes with [`ToolContext::provided`], and the state of the agent that it takes. `#[tool_hook]` writes it.
    /// Building an agent compares the list with what the program provides and with the agent's state. By default the list is empty. A wrapper of another hook
    /// forwards it.
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }

    /// What descriptions of agents call it, if it is not the name of its type: the function of a script, for example.
    fn shown_name(&self) -> Option<String> {
        None
    }
}

/// A shared hook: its fields exist once.
#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Arc<H> {
    type Made = InArc<H::Made>;

    const REPEATS: bool = H::REPEATS;

    fn services(taken: &mut ServiceTypes) {
        H::services(taken);
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
