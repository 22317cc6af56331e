//! The onion: layers of hooks around the core that runs the tools.
//!
//! `agent!` writes one struct for each hook of an agent and one for its core; each holds the next one, so
//! the whole chain is known at compile time and a call through it allocates nothing. Everything generic is
//! here; what `agent!` writes only fills in names.

mod caller;
mod core;
mod dynamic;
mod form;
mod next;
mod typed;

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub(crate) use self::core::panic_text;
pub use self::core::{call_dynamic, call_tool};
pub use caller::{Compiled, ToolCaller};
pub(crate) use dynamic::{DynHook, outermost};
pub use dynamic::{RuntimeHooks, Seam, bulkhead};
pub use form::{AfterOwned, AfterReturn, AfterTarget, AroundReturn, BeforeReturn, around};
pub use next::{Forked, InnerNext, Next};
pub use typed::{ArgsOf, EndRing, OutputOf, Ring, TypedHook, TypedLayer, TypedNext, TypedTool};

use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::tool::ToolDefinition;

/// One layer of an onion, or its core. Written by `agent!`.
#[doc(hidden)]
pub trait Call: Send + Sync + 'static {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
    ) -> impl Future<Output = ToolResult> + Send;
}

/// The core of an onion as the runtime needs to know it.
#[doc(hidden)]
pub trait Core: Call {
    /// The compiled tools, by slot.
    fn definitions(&self) -> Vec<ToolDefinition>;
}

/// A [`Call`] behind a pointer.
pub(crate) trait DynCall: Send + Sync + 'static {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;
}

impl<C: Call> DynCall for C {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(self.call(cx, args))
    }
}

/// Middleware around tool calls. `#[tool_hook]` on a function implements it for the type that stands
/// beside the function under the same name.
///
/// ```
/// use onionskin::{Args, Hook, Next, ToolContext, ToolResult};
///
/// /// Lets only every call through that names a city.
/// struct CityOnly;
///
/// impl Hook for CityOnly {
///     onionskin::raw_hook!();
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
    note = "write `#[tool_hook]` on the function and name the function here, or implement `Hook` for the type"
)]
pub trait Hook: Send + Sync + Sized + 'static {
    /// What the hook adds to the ring of typed hooks: itself if it is one, else nothing (`= R`).
    #[doc(hidden)]
    type Ring<R: Ring>: Ring;

    /// Whether the hook is a typed one: those stand inside all others.
    #[doc(hidden)]
    const TYPED: bool = false;

    /// Makes this hook part of the ring of typed hooks, if it is one.
    #[doc(hidden)]
    fn ring<R: Ring>(hook: &Arc<Self>, rest: R) -> Self::Ring<R>;

    /// Runs around a call; `next.run(args)` goes on inwards.
    ///
    /// # Errors
    /// Any [`Exit`]. An abort ends the run whatever hooks outside return.
    fn call<'a, 'b, N: Next>(
        &'a self,
        cx: &'a ToolContext,
        args: &'b mut Args,
        next: N,
    ) -> impl Future<Output = ToolResult> + Send;
}

/// How a hook is made from what `agent!` writes in parentheses after its name.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the hook `{Self}` is not configured by `{A}`",
    label = "other arguments are needed here",
    note = "write one argument for each of its `#[config]` parameters, in their order: `hook(first, second)`; a hook \
            without such parameters stands alone: `hook`"
)]
pub trait Configure<A> {
    fn configure(with: A) -> Self;
}

/// Calls the tool itself, past the hooks that have not run yet.
pub(crate) async fn call_original(cx: &ToolContext, args: &mut Args) -> ToolResult {
    match cx.run().core() {
        Some(core) => core.call_dyn(cx, args).await,
        None => Err(Exit::Tool(
            ToolError::new("this context belongs to no run, so there is no tool to call")
                .with_kind(ErrorKind::UnknownTool),
        )),
    }
}

/// The two items of [`Hook`] that every hand-written hook has in common.
#[macro_export]
macro_rules! raw_hook {
    () => {
        type Ring<R: $crate::__private0::Ring> = R;

        fn ring<R: $crate::__private0::Ring>(_: &$crate::__private0::Arc<Self>, rest: R) -> R {
            rest
        }
    };
}
