//! Encodes a function's return value as the result of a tool call.
//!
//! [`ladder`](super::ladder) selects how the error side of a type is removed (a [`Split`]) and how the value
//! is serialised (a [`Form`]). Together they are a [`Returned`]. For a function that returns an `i64` they
//! are [`AsIs`] and [`Described`].

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "the rung that is chosen is a value, and all rungs of a ladder are called alike"
)]

use std::any::Any;
use std::error::Error;
use std::fmt::Display;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use schemars::JsonSchema;
use serde_json::Value;

use super::own_form::OwnForm;
use super::result_types::{Kind, ToolReturn};
use super::schema::output_schema;
use crate::error::{Abort, BoxError, ErrorKind, Exit, ToolError, ToolResult};
use crate::output::ToolOutput;

/// Converts a function's return value to the result of the call.
pub trait Returned<R> {
    /// Encodes the return value as the result of the call.
    ///
    /// # Errors
    /// Returns an error if the function failed, or its value cannot be serialised.
    fn encode(returned: R) -> ToolResult;
    /// The schema of the structured result.
    fn schema() -> Option<Value>;
    /// The error, if the function returned one.
    fn failed(returned: &R) -> Option<Failed<'_>>
    where
        R: 'static;
}

/// The error that a function returned.
pub enum Failed<'r> {
    /// An exit of the call.
    Exit(&'r Exit),
    /// Any other error.
    Error(&'r dyn Any),
}

impl<'r> Failed<'r> {
    /// The abort, if the error is one.
    pub fn abort(self) -> Option<&'r Abort> {
        match self {
            Self::Exit(Exit::Abort(abort)) => Some(abort),
            Self::Exit(Exit::Tool(_) | Exit::Stop(_)) | Self::Error(_) => None,
        }
    }

    /// The kind of tool error that an error other than an exit becomes.
    pub fn kind(error: &dyn Any) -> ErrorKind {
        let boxed = || error.downcast_ref::<BoxError>()?.downcast_ref();
        error.downcast_ref().or_else(boxed).map_or(ErrorKind::Failed, ToolError::kind)
    }
}

pin_project! {
    /// A call of a tool's function, whose return value becomes the result. It is hand-written, because the
    /// compiler generates several times as much code for an `async` block, for every tool.
    #[project = Project]
    #[allow(missing_docs, reason = "`pin_project` takes no documentation of fields")]
    pub enum Encoded<F, R> {
        /// The function runs.
        Call { #[pin] call: F, returned: PhantomData<fn() -> R> },
        /// The function does not run.
        Refused { exit: Option<Exit> },
    }
}

impl<F, R> Encoded<F, R> {
    /// Only the type of `returned` is used.
    pub fn new(call: F, _returned: fn() -> R) -> Self {
        Self::Call { call, returned: PhantomData }
    }

    /// The call ends without the function.
    pub fn refused(exit: Exit) -> Self {
        Self::Refused { exit: Some(exit) }
    }
}

impl<F: Future, R: Returned<F::Output>> Future for Encoded<F, R> {
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

/// A rung of the `SplitLadder`: how the error side is removed, and the types of the sides.
pub struct Sides<S, T, E> {
    split: PhantomData<fn() -> S>,
    /// The value.
    pub value: Kind<T>,
    /// The type that must be an [`ErrorText`](super::ErrorText); text always is.
    pub error: Kind<E>,
}

impl<S, T, E> Sides<S, T, E> {
    pub(super) const fn new() -> Self {
        Self { split: PhantomData, value: Kind::new(), error: Kind::new() }
    }

    /// Both rungs together.
    pub fn and<F, A, M>(self, _: ValueForm<F, A, M>) -> Rungs<S, F> {
        Rungs(PhantomData)
    }
}

/// A rung of the `FormLadder`: how a value is written.
pub struct ValueForm<F, A, M> {
    form: PhantomData<fn() -> F>,
    /// The type that must be a [`ToolReturn`]; text always is.
    pub asked: Kind<A>,
    /// The type that must be [`ShownToModel`](super::ShownToModel); `()` always is.
    pub shown: Kind<M>,
}

impl<F, A, M> ValueForm<F, A, M> {
    pub(super) const fn new() -> Self {
        Self { form: PhantomData, asked: Kind::new(), shown: Kind::new() }
    }
}

/// The rungs of a type: how the error side is removed, and how the value is written.
pub struct Rungs<S, F>(PhantomData<fn() -> (S, F)>);

impl<S: Split<R>, F: Form<S::Value>, R> Returned<R> for Rungs<S, F> {
    fn encode(returned: R) -> ToolResult {
        F::finish(S::split(returned)?)
    }

    fn schema() -> Option<Value> {
        F::schema()
    }

    fn failed(returned: &R) -> Option<Failed<'_>>
    where
        R: 'static,
    {
        S::failed(returned)
    }
}

/// Encodes a function's return value.
///
/// # Errors
/// Returns an error if the function failed, or its value cannot be serialised.
pub fn encode<R, T: Returned<R>>(_: T, returned: R) -> ToolResult {
    T::encode(returned)
}

/// The schema of a function's return type.
pub fn schema<R, T: Returned<R>>(_: T) -> Option<Value> {
    T::schema()
}

/// The error, if a function returned one.
pub fn failed<R: 'static, T: Returned<R>>(_: T, returned: &R) -> Option<Failed<'_>> {
    T::failed(returned)
}

/// Removes the error side.
pub trait Split<R>: Sized {
    /// The value without the error side.
    type Value;

    /// The value, or the exit that the function returned.
    ///
    /// # Errors
    /// Returns the exit.
    fn split(returned: R) -> Result<Self::Value, Exit>;

    /// Converts the value back to a return value.
    fn join(value: Self::Value) -> R;

    /// The error, if the function returned one.
    fn failed(_: &R) -> Option<Failed<'_>>
    where
        R: 'static,
    {
        None
    }
}

/// Writes a value.
pub trait Form<T> {
    fn finish(value: T) -> ToolResult;

    fn schema() -> Option<Value> {
        None
    }
}

/// The error is an `Exit` or one of its parts.
pub struct InExit;
/// The error implements `Error`.
pub struct InError;
/// The error implements `Display`.
pub struct InText;
/// The error has no text. A program with it does not compile.
pub struct Mute;
/// There is no error side.
pub struct AsIs;

macro_rules! split_results {
    ($($rung:ident [$($param:tt)*] $error:ty: $exit:expr, $failed:expr;)*) => {$(
        impl<T, $($param)*> Split<Result<T, $error>> for $rung {
            type Value = T;

            #[inline]
            fn split(returned: Result<T, $error>) -> Result<T, Exit> {
                returned.map_err($exit)
            }

            fn join(value: T) -> Result<T, $error> {
                Ok(value)
            }

            fn failed(returned: &Result<T, $error>) -> Option<Failed<'_>>
            where
                Result<T, $error>: 'static,
            {
                returned.as_ref().err().map($failed)
            }
        }
    )*};
}

split_results! {
    InExit [] Exit: Exit::from, Failed::Exit;
    InError [E: Into<Box<dyn Error + Send + Sync>>] E: Exit::from, |error| Failed::Error(error);
    InText [E: Display] E: |error| Exit::tool(error.to_string()), |error| Failed::Error(error);
    Mute [E] E: |_| Exit::tool("failed"), |error| Failed::Error(error);
}

impl<T> Split<T> for AsIs {
    type Value = T;

    #[inline]
    fn split(returned: T) -> Result<T, Exit> {
        Ok(returned)
    }

    fn join(value: T) -> T {
        value
    }
}

/// Written in its own form.
pub struct Own;
/// Written as JSON, with a schema.
pub struct Described;
/// Written as JSON, without a schema.
pub struct Undescribed;
/// Not written. A program with it does not compile.
pub struct Untold;

impl<T: OwnForm> Form<T> for Own {
    #[inline]
    fn finish(value: T) -> ToolResult {
        Ok(value.into_output())
    }

    fn schema() -> Option<Value> {
        T::schema()
    }
}

impl<T: ToolReturn + JsonSchema> Form<T> for Described {
    #[inline]
    fn finish(value: T) -> ToolResult {
        json(value)
    }

    fn schema() -> Option<Value> {
        Some(output_schema::<T>())
    }
}

impl<T: ToolReturn> Form<T> for Undescribed {
    #[inline]
    fn finish(value: T) -> ToolResult {
        json(value)
    }
}

impl<T> Form<T> for Untold {
    fn finish(_: T) -> ToolResult {
        Err(Exit::tool("has a result that cannot be written"))
    }
}

#[inline]
fn json<T: ToolReturn>(value: T) -> ToolResult {
    Ok(ToolOutput::from_json(value.into_json()?)?)
}
