//! The inner ring: hooks on one tool with its typed arguments and output.
//!
//! They form a ring inside the core, and not layers, because layers borrow the arguments. [`Ring::call`]
//! compares types to find the hooks of the current tool. An agent without typed hooks has an empty ring,
//! which costs nothing.

use std::any::Any;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::layered::{EncodedArgs, TypedCall, unread};
use crate::context::{Depth, ToolContext, at_depth, timed};
use crate::event::CallOutcome;
use crate::onion::{
    Caught, Hook, Undefined, define, hook_panicked, hooks_are_traced, in_span, short_name, tool_panicked,
};
use crate::tool::Tool;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Failed, Reading, ToolDefinition};
use onionskin_definitions::error::{Exit, ToolResult};

/// A tool with typed arguments and output for typed hooks. `#[tool]` implements it.
///
/// Programs do not implement it: hand-written tools have raw hooks only.
#[diagnostic::on_unimplemented(
    message = "typed hooks cannot be put on `{Self}`",
    label = "not a tool that typed hooks can see into",
    note = "name a `#[tool]` function whose result borrows nothing; a raw hook (`args: &mut Args`) can be put on \
            any tool"
)]
pub trait TypedTool: Tool {
    /// The owned arguments: a struct with a field for each parameter that the model fills.
    type Args: Send + 'static;
    /// What the function returns.
    type Output: Send + 'static;

    /// Deserialises the arguments.
    ///
    /// # Errors
    /// Returns an error if they do not fit. The error names every invalid field.
    fn decode(&self, args: &mut Args) -> Result<Self::Args, Exit>;

    /// The type that must be deserialisable: the output if the tool has its own layers, else nothing.
    #[doc(hidden)]
    type Rereads;

    /// The type that must be serialisable: the arguments if the tool has its own layers, else nothing.
    #[doc(hidden)]
    type Rewrites;

    /// The serialised arguments, to detect changes by typed hooks, if the tool has its own layers.
    #[doc(hidden)]
    fn encode_args(_: &Self::Args) -> EncodedArgs {
        EncodedArgs::default()
    }

    /// Runs the function, or the tool's own layers around it.
    #[doc(hidden)]
    fn invoke<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: Self::Args,
        call: &'a TypedCall<'a>,
    ) -> impl Future<Output = ToolResult<Self::Output>> + Send + 'a;

    /// Converts the value of the typed hooks to a tool result.
    ///
    /// # Errors
    /// Returns an error if the value is an error.
    #[doc(hidden)]
    fn encode(output: Self::Output, call: &TypedCall<'_>) -> ToolResult;

    /// A marker that a typed hook checks first, so that another type is reported once.
    #[doc(hidden)]
    const IS: bool = true;

    /// The error, if the function returned one.
    #[doc(hidden)]
    fn failed(_: &Self::Output) -> Option<Failed<'_>> {
        None
    }
}

/// The typed arguments of a tool: a struct with a field for each parameter that the model fills.
pub type ArgsOf<T> = <T as TypedTool>::Args;

/// The return type of a tool's function.
pub type OutputOf<T> = <T as TypedTool>::Output;

/// The rest of a call for a typed hook: the inner typed hooks and the tool. It can run several times.
///
/// A hook takes it as `next: impl TypedNext<tool>`; programs do not implement it.
///
/// ```
/// use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
/// use onionskin::{ToolResult, agent, tool, tool_hook};
///
/// /// Holds `x` to 10.
/// #[tool_hook(tool = add_one)]
/// async fn clamped(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<OutputOf<add_one>> {
///     next.run(ArgsOf::<add_one> { x: args.x.min(10) }).await
/// }
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// agent! {
///     Clerk { instruction: "Count.", function_tools: [add_one], tool_hooks: [clamped] }
/// }
/// ```
pub trait TypedNext<T: TypedTool>: Copy + Send + Sync {
    /// Runs the rest of the call with these arguments.
    ///
    /// Cancel safety: dropping the future cancels the rest of the call.
    ///
    /// # Errors
    /// Returns the errors of the inner hooks and the tool.
    fn run(self, args: T::Args) -> impl Future<Output = ToolResult<T::Output>> + Send;
}

/// A hook on one tool. `#[tool_hook(tool = ..)]` implements it.
#[doc(hidden)]
pub trait TypedHook: Hook {
    type Tool: TypedTool;

    /// Deserialises the output of the tool's own layers, if it has any.
    fn reading() -> Reading;

    fn call_typed<'a, N: TypedNext<Self::Tool>>(
        &'a self,
        cx: &'a ToolContext,
        args: ArgsOf<Self::Tool>,
        next: N,
    ) -> impl Future<Output = ToolResult<OutputOf<Self::Tool>>> + Send;
}

/// The typed hooks of an agent, outermost first.
#[doc(hidden)]
pub trait Ring: Send + Sync + 'static {
    fn call<'a, T: Tool>(
        &'a self,
        tool: &'a T,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a;

    fn call_typed<'a, T: TypedTool>(
        &'a self,
        tool: &'a T,
        cx: &'a ToolContext,
        args: T::Args,
        call: &'a TypedCall<'a>,
    ) -> impl Future<Output = ToolResult<T::Output>> + Send + 'a;
}

/// Runs a tool inside an agent's typed hooks.
pub fn run_in<'a, T: Tool, R: Ring>(
    tool: &'a T,
    ring: &'a R,
    cx: &'a ToolContext,
    args: &'a mut Args,
) -> impl Future<Output = ToolResult> + Send + 'a {
    ring.call(tool, cx, args)
}

/// The definition of a tool in a ring.
#[doc(hidden)]
pub fn defined<T: Tool>(tool: &T) -> Result<ToolDefinition, Undefined> {
    define(T::NAME, &|| tool.definition())
}

/// The end of the ring: the tool.
pub struct EndRing;

impl Ring for EndRing {
    #[inline]
    fn call<'a, T: Tool>(
        &'a self,
        tool: &'a T,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        // A `#[tool]` function has no stages: this is its `run`, in `tool/function.rs`.
        tool.run_staged(cx, args)
    }

    fn call_typed<'a, T: TypedTool>(
        &'a self,
        tool: &'a T,
        cx: &'a ToolContext,
        args: T::Args,
        call: &'a TypedCall<'a>,
    ) -> impl Future<Output = ToolResult<T::Output>> + Send + 'a {
        timed(cx, tool.invoke(cx, args, call))
    }
}

/// A typed hook and its inner hooks.
pub struct TypedLayer<H, R> {
    hook: Arc<H>,
    rest: R,
}

impl<H: TypedHook, R: Ring> TypedLayer<H, R> {
    /// Puts a hook around the others.
    pub fn new(hook: Arc<H>, rest: R) -> Self {
        Self { hook, rest }
    }

    /// Runs the hook around the rest. A panic of the hook is an abort, as for any hook. A panic of the tool
    /// does not reach this point.
    async fn around(
        &self,
        tool: &H::Tool,
        cx: &ToolContext,
        args: ArgsOf<H::Tool>,
        call: &TypedCall<'_>,
    ) -> ToolResult<OutputOf<H::Tool>> {
        cx.timeout_is_inner();
        let next = RingNext { ring: &self.rest, tool, cx, call };
        // Two branches, so that the call without a span is not moved.
        let call = async {
            if hooks_are_traced() {
                return self.in_span(cx, args, next).await;
            }
            self.hook.call_typed(cx, args, next).await
        };
        Caught::new(at_depth(cx, Depth::Inside, call), cx, hook_panicked).await
    }

    /// Runs the hook in a span. Boxed whole, so that a call without a span does not grow.
    #[cold]
    fn in_span<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: ArgsOf<H::Tool>,
        next: RingNext<'a, H::Tool, R>,
    ) -> BoxFuture<'a, ToolResult<OutputOf<H::Tool>>> {
        let call = async move { self.hook.call_typed(cx, args, next).await };
        Box::pin(in_span(cx, short_name::<H>(), call, typed_outcome::<H::Tool>))
    }
}

/// The outcome of a call whose function returned this value, which can be an error.
fn typed_outcome<T: TypedTool>(output: &T::Output) -> CallOutcome {
    match T::failed(output) {
        None => CallOutcome::Ok,
        Some(Failed::Exit(exit)) => CallOutcome::from_exit(exit),
        Some(Failed::Error(error)) => CallOutcome::Error(Failed::kind(error)),
    }
}

impl<H: TypedHook, R: Ring> Ring for TypedLayer<H, R> {
    async fn call<'a, T: Tool>(&'a self, tool: &'a T, cx: &'a ToolContext, args: &'a mut Args) -> ToolResult {
        let any: &dyn Any = tool;
        let Some(tool) = any.downcast_ref::<H::Tool>().filter(|_| !cx.is_past_hooks()) else {
            return self.rest.call(tool, cx, args).await;
        };
        // Typed tools are functions, which have no stages.
        let read = tool.decode(args)?;
        let call = TypedCall::new(args, H::Tool::encode_args(&read), H::reading());
        match self.around(tool, cx, read, &call).await {
            Ok(output) => H::Tool::encode(output, &call),
            Err(exit) => unread(exit),
        }
    }

    async fn call_typed<'a, T: TypedTool>(
        &'a self,
        tool: &'a T,
        cx: &'a ToolContext,
        args: T::Args,
        call: &'a TypedCall<'a>,
    ) -> ToolResult<T::Output> {
        let any: &dyn Any = tool;
        let Some(own_tool) = any.downcast_ref::<H::Tool>() else {
            return self.rest.call_typed(tool, cx, args, call).await;
        };
        // `T` is `H::Tool`, so both casts succeed; the compiler removes the checks after monomorphisation.
        let args = cast::<T::Args, ArgsOf<H::Tool>>(args)?;
        cast::<OutputOf<H::Tool>, T::Output>(self.around(own_tool, cx, args, call).await?)
    }
}

/// Converts a value to the same type under another name.
fn cast<A: 'static, B: 'static>(value: A) -> ToolResult<B> {
    let mut slot = Some(value);
    let any: &mut dyn Any = &mut slot;
    let value = any.downcast_mut::<Option<B>>().and_then(Option::take);
    value.ok_or_else(|| Exit::abort("a typed hook was put on another tool than its own"))
}

struct RingNext<'a, T, R> {
    ring: &'a R,
    tool: &'a T,
    cx: &'a ToolContext,
    call: &'a TypedCall<'a>,
}

impl<T, R> Clone for RingNext<'_, T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R> Copy for RingNext<'_, T, R> {}

impl<T: TypedTool, R: Ring> TypedNext<T> for RingNext<'_, T, R> {
    async fn run(self, args: T::Args) -> ToolResult<T::Output> {
        let call = async { self.ring.call_typed(self.tool, self.cx, args, self.call).await };
        let result = Caught::new(call, self.cx, tool_panicked).await;
        // The function can return an abort itself. The hook outside gets it as a value and may drop it.
        let abort = match &result {
            Err(Exit::Abort(abort)) => Some(abort),
            Ok(output) => T::failed(output).and_then(Failed::abort),
            Err(_) => None,
        };
        if let Some(abort) = abort {
            self.cx.abort(abort);
        }
        match &result {
            Ok(output) if T::failed(output).is_none() => self.cx.note_success(),
            _ => self.cx.note_reported(),
        }
        result
    }
}
