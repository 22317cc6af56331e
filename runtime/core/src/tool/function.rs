//! A tool as `#[tool]` generates it for most functions: only the parts that differ between functions. The shared code
//! to run it is here once, so that a hundred tools do not compile it a hundred times.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use serde_json::Value;

use super::{Tool, Works};
use crate::args::Args;
use crate::context::ToolContext;
use crate::definition::{Defined, Reader, Returned, Slots, Span, ToolDefinition, Veiled};
use crate::error::{Exit, ToolResult};

/// A function with owned arguments and result, as a tool; `V` is its [`Veiled::Veil`].
// The messages equal those of [`Tool`](super::Tool), so that a type that implements neither is reported once.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "write `#[tool]` on the function and name the function here, or implement `Tool` for the type",
    note = "a hook belongs in `tool_hooks`, a toolbox in `toolboxes`, another agent in `agents`",
    note = "a function's name is a value of the function: where a value of the tool is wanted, write `name::default()`"
)]
pub trait Function<V>: Send + Sync + Sized + 'static {
    /// The tool's name.
    const NAME: &'static str;
    /// As [`Tool::State`].
    type State: Works;
    /// The arguments that the model fills, as nested pairs: `(A, (B, ()))`.
    type Values: Values;
    /// The same arguments as a struct with their names.
    type Args: Send + 'static;
    /// What the function returns.
    type Output: Send + 'static;

    /// The tool's static definition.
    fn defined() -> &'static Defined;

    /// Reads the arguments.
    ///
    /// # Errors
    /// Returns an error if they do not fit. The error names every invalid argument.
    fn read(args: &mut Args) -> ToolResult<Self::Values>;

    /// Converts the arguments to the struct.
    fn named(values: Self::Values) -> Self::Args;

    /// Converts the struct to the arguments.
    fn unnamed(args: Self::Args) -> Self::Values;

    /// Calls the function.
    ///
    /// # Errors
    /// Returns an error if the context lacks a parameter of the function.
    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        values: Self::Values,
    ) -> ToolResult<impl Future<Output = Self::Output> + Send + 'a>;

    /// How the function's return value becomes the result.
    fn returned() -> impl Returned<Self::Output>;
}

/// Values of several types and their readers. All tools with the same parameter types share this code.
#[doc(hidden)]
pub trait Values: Send + Sized + 'static {
    type Readers: 'static;

    /// Reads the values, beginning with this slot.
    ///
    /// # Errors
    /// Returns an error if one cannot be read. The error names the problems of all.
    fn read(slots: &Slots<'_, '_>, index: usize, readers: &Self::Readers) -> ToolResult<Self>;
}

impl Values for () {
    type Readers = ();

    #[inline]
    fn read(_: &Slots<'_, '_>, _: usize, (): &()) -> ToolResult<()> {
        Ok(())
    }
}

impl<T: Send + 'static, R: Values> Values for (T, R) {
    type Readers = (&'static Reader<T>, R::Readers);

    #[inline]
    fn read(slots: &Slots<'_, '_>, index: usize, readers: &Self::Readers) -> ToolResult<Self> {
        #[expect(
            clippy::question_mark,
            reason = "`?` brings a conversion of the error for every value of every tool"
        )]
        let value = match slots.read(index, readers.0) {
            Ok(value) => value,
            Err(exit) => return Err(exit),
        };
        match R::read(slots, index + 1, &readers.1) {
            Ok(rest) => Ok((value, rest)),
            Err(exit) => Err(exit),
        }
    }
}

/// Reads all arguments of a call.
///
/// # Errors
/// Returns an error if they do not fit. The error names every invalid argument.
#[doc(hidden)]
#[inline(never)]
pub fn read<V: Values>(
    tool: &'static Defined,
    readers: &V::Readers,
    args: &mut Args,
    spans: &mut [Span],
) -> ToolResult<V> {
    match Slots::split(tool.get(), args, spans) {
        Ok(slots) => V::read(&slots, 0, readers),
        Err(exit) => Err(exit),
    }
}

#[diagnostic::do_not_recommend]
impl<F: Veiled + Function<F::Veil>> Tool for F {
    const NAME: &'static str = <F as Function<F::Veil>>::NAME;
    type State = <F as Function<F::Veil>>::State;

    fn definition(&self) -> &ToolDefinition {
        F::defined().get()
    }

    fn run<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> impl Future<Output = ToolResult> + Send + 'a {
        let call = match F::read(args) {
            Ok(values) => self.call(cx, values),
            Err(exit) => Err(exit),
        };
        match call {
            Ok(call) => Running::Call { call, returned: kind_of(F::returned) },
            Err(exit) => Running::Refused { exit: Some(exit) },
        }
    }

    #[inline]
    fn staged<'a, C, Fut>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        core: C,
    ) -> impl Future<Output = ToolResult> + Send + 'a
    where
        C: FnOnce(&'a Self, &'a ToolContext, &'a mut Args) -> Fut + Send + 'a,
        Fut: Future<Output = ToolResult> + Send + 'a,
    {
        core(self, cx, args)
    }
}

/// The return type of a function, without a value.
fn kind_of<R>(_: fn() -> R) -> PhantomData<fn() -> R> {
    PhantomData
}

pin_project! {
    /// A call of a function. It is hand-written, because the compiler generates several times as much code for an
    /// `async` block, for every tool.
    #[project = Project]
    enum Running<F, R> {
        Call { #[pin] call: F, returned: PhantomData<fn() -> R> },
        Refused { exit: Option<Exit> },
    }
}

impl<F: Future, R: Returned<F::Output>> Future for Running<F, R> {
    type Output = ToolResult;

    #[inline(never)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        match self.project() {
            Project::Call { call, .. } => match call.poll(context) {
                Poll::Ready(output) => Poll::Ready(R::encode(output)),
                Poll::Pending => Poll::Pending,
            },
            Project::Refused { exit } => match exit.take() {
                Some(exit) => Poll::Ready(Err(exit)),
                None => Poll::Pending,
            },
        }
    }
}

/// Returns the schema of a function's structured result. Functions with the same return type share the code.
#[doc(hidden)]
pub const fn schema_by<R, T: Returned<R>>(_: fn() -> T) -> fn() -> Option<Value> {
    T::schema
}
