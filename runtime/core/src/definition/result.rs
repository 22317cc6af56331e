//! Encodes a function's return value as the result of a tool call.
//!
//! A blanket implementation cannot distinguish `Result<T, E>` from a serialisable type, so `#[tool]` asks on the
//! concrete type, by autoref. Of several rungs of a ladder, the one behind the most references that still fits wins. So
//! aliases of `Result`, and custom types called `Result`, are handled correctly.
//!
//! Two ladders, one after the other: [`ladder::SplitExit`] and below remove the error side, then [`ladder::FormOwn`]
//! and below select how the value is written. Both together are a [`Returned`], which a tool asks for once. Each ladder
//! has a rung for unsupported types. So only one bound check of the macro fails, at the wrong part of the type.
//! [`ladder::ShowJson`] shows a default to the model if its type is serialisable.

#![allow(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "the rung that is chosen is a value, and all rungs of a ladder are called alike"
)]

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Display;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::schema::output_schema;
use crate::content::{Audio, ContentBlock, Image, Resource, ResourceLink};
use crate::error::{Abort, Exit, ToolResult};
use crate::output::ToolOutput;
use crate::schema::to_json;

/// A type that a tool can return as JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "the model cannot be told this",
    note = "return a type with `Serialize` (`#[derive(serde::Serialize)]`; with `schemars::JsonSchema` too it \
            gets an output schema), `String`, `()`, `ToolOutput`, content blocks, or `Result<T, E>` of one of \
            these where `E` can be displayed"
)]
pub trait ToolReturn: Sized {
    /// A bound check at the place that the macro points to.
    #[doc(hidden)]
    fn is_told(_: &Kind<Self>) {}

    #[doc(hidden)]
    fn into_json(self) -> Result<String, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolReturn for T {
    fn into_json(self) -> Result<String, serde_json::Error> {
        to_json(&self)
    }
}

/// A type of errors whose text can be sent to the model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "the model reads an error as text, and this has none",
    note = "implement `std::fmt::Display` for it (`#[derive(thiserror::Error)]` does), or turn it into text: `Result<_, String>` with \
            `.map_err(|error| ..)`"
)]
pub trait ErrorText: Sized {
    /// A bound check at the place that the macro points to.
    #[doc(hidden)]
    fn is_told(_: &Kind<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<E: Display> ErrorText for E {}

/// Results with a form of their own instead of JSON.
#[doc(hidden)]
pub trait OwnForm {
    fn into_output(self) -> ToolOutput;

    fn schema() -> Option<Value> {
        None
    }
}

macro_rules! own_forms {
    ($($type:ty),*) => {$(
        impl OwnForm for $type {
            fn into_output(self) -> ToolOutput {
                ToolOutput::from_block(self.into())
            }
        }
    )*};
}

own_forms!(ContentBlock, Image, Audio, Resource, ResourceLink);

macro_rules! text_forms {
    ($($type:ty),*) => {$(
        impl OwnForm for $type {
            fn into_output(self) -> ToolOutput {
                ToolOutput::from_string_value(self.into())
            }

            fn schema() -> Option<Value> {
                Some(output_schema::<String>())
            }
        }
    )*};
}

text_forms!(String, &str, Cow<'_, str>, Box<str>);

impl OwnForm for ToolOutput {
    fn into_output(self) -> ToolOutput {
        self
    }
}

impl OwnForm for Vec<ContentBlock> {
    fn into_output(self) -> ToolOutput {
        ToolOutput::blocks(self)
    }
}

impl OwnForm for () {
    fn into_output(self) -> ToolOutput {
        ToolOutput::nothing()
    }
}

impl<T: OwnForm> OwnForm for Option<T> {
    fn into_output(self) -> ToolOutput {
        self.map_or_else(|| ToolOutput::from_json_text("null".to_owned(), true), T::into_output)
    }

    fn schema() -> Option<Value> {
        // Of these forms only text has a schema.
        T::schema().map(|_| output_schema::<Option<String>>())
    }
}

/// A type, carried up the ladders.
#[doc(hidden)]
pub struct Kind<T>(PhantomData<fn() -> T>);

impl<T> Kind<T> {
    #[expect(clippy::new_without_default, reason = "generated code is the only caller")]
    pub fn new() -> Self {
        Self(PhantomData)
    }

    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// The rungs. Generated code imports them anonymously.
#[doc(hidden)]
pub mod ladder {
    pub use super::super::reread::ladder::*;
    pub use super::Split as _;
    use super::{AsIs, Described, InError, InExit, InText, Mute, Own, Undescribed, Untold};
    use super::{Display, Error, Exit, JsonSchema, Kind, OwnForm, Serialize, ToolReturn, Value};

    pub trait SplitExit {
        fn split_by(&self) -> InExit;
    }
    impl<T> SplitExit for &&&&Kind<Result<T, Exit>> {
        fn split_by(&self) -> InExit {
            InExit
        }
    }

    pub trait SplitError {
        fn split_by(&self) -> InError;
    }
    impl<T, E: Into<Box<dyn Error + Send + Sync>>> SplitError for &&&Kind<Result<T, E>> {
        fn split_by(&self) -> InError {
            InError
        }
    }

    pub trait SplitText {
        fn split_by(&self) -> InText;
    }
    impl<T, E: Display> SplitText for &&Kind<Result<T, E>> {
        fn split_by(&self) -> InText {
            InText
        }
    }

    pub trait SplitMute {
        fn split_by(&self) -> Mute;
    }
    impl<T, E> SplitMute for &Kind<Result<T, E>> {
        fn split_by(&self) -> Mute {
            Mute
        }
    }

    pub trait SplitNone {
        fn split_by(&self) -> AsIs;
    }
    impl<T> SplitNone for Kind<T> {
        fn split_by(&self) -> AsIs {
            AsIs
        }
    }

    pub trait FormOwn {
        fn form(&self) -> Own;
    }
    impl<T: OwnForm> FormOwn for &&&Kind<T> {
        fn form(&self) -> Own {
            Own
        }
    }

    pub trait FormDescribed {
        fn form(&self) -> Described;
    }
    impl<T: ToolReturn + JsonSchema> FormDescribed for &&Kind<T> {
        fn form(&self) -> Described {
            Described
        }
    }

    pub trait FormJson {
        fn form(&self) -> Undescribed;
    }
    impl<T: ToolReturn> FormJson for &Kind<T> {
        fn form(&self) -> Undescribed {
            Undescribed
        }
    }

    pub trait FormNone {
        fn form(&self) -> Untold;
    }
    impl<T> FormNone for Kind<T> {
        fn form(&self) -> Untold {
            Untold
        }
    }

    pub trait ShowJson<T> {
        fn show(&self, value: &T) -> Option<Value>;
    }
    impl<T: Serialize> ShowJson<T> for &Kind<T> {
        fn show(&self, value: &T) -> Option<Value> {
            serde_json::to_value(value).ok()
        }
    }

    pub trait ShowNone<T> {
        fn show(&self, value: &T) -> Option<Value>;
    }
    impl<T> ShowNone<T> for Kind<T> {
        fn show(&self, _: &T) -> Option<Value> {
            None
        }
    }
}

/// How a function's return value becomes the result.
#[doc(hidden)]
pub trait Returned<R> {
    /// Encodes the return value as the result of the call.
    ///
    /// # Errors
    /// Returns an error if the function failed, or its value cannot be serialised.
    fn encode(returned: R) -> ToolResult;
    /// The schema of the structured result.
    fn schema() -> Option<Value>;
    /// The abort, if the function returned one.
    fn aborted(returned: &R) -> Option<&Abort>;
}

/// The rungs of a type: how the error side is removed, and how the value is written.
#[doc(hidden)]
pub struct Rungs<S, F>(PhantomData<fn() -> (S, F)>);

impl<S: Split<R>, F: Form<S::Value>, R> Returned<R> for Rungs<S, F> {
    fn encode(returned: R) -> ToolResult {
        F::finish(S::split(returned)?)
    }

    fn schema() -> Option<Value> {
        F::schema()
    }

    fn aborted(returned: &R) -> Option<&Abort> {
        S::aborted(returned)
    }
}

/// Encodes a function's return value.
///
/// # Errors
/// Returns an error if the function failed, or its value cannot be serialised.
#[doc(hidden)]
pub fn encode<R, T: Returned<R>>(_: T, returned: R) -> ToolResult {
    T::encode(returned)
}

/// The schema of a function's return type.
#[doc(hidden)]
pub fn schema<R, T: Returned<R>>(_: T) -> Option<Value> {
    T::schema()
}

/// The abort, if a function returned one.
#[doc(hidden)]
pub fn aborted<R, T: Returned<R>>(_: T, returned: &R) -> Option<&Abort> {
    T::aborted(returned)
}

/// Removes the error side.
#[doc(hidden)]
pub trait Split<R>: Sized {
    type Value;
    /// The type that must be an [`ErrorText`]; text always is.
    type Error;

    fn split(returned: R) -> Result<Self::Value, Exit>;

    /// Makes a return value of this value.
    fn join(value: Self::Value) -> R;

    fn aborted(_: &R) -> Option<&Abort> {
        None
    }

    /// The type without its error side.
    fn value(&self, _: &Kind<R>) -> Kind<Self::Value> {
        Kind::new()
    }

    /// The type of the error for the bound check.
    fn error(&self, _: &Kind<R>) -> Kind<Self::Error> {
        Kind::new()
    }

    /// Both rungs together.
    fn and<F: Form<Self::Value>>(self, _: &Kind<R>, _: Written<F, Self::Value>) -> Rungs<Self, F> {
        Rungs(PhantomData)
    }
}

/// How a value of this type is written.
#[doc(hidden)]
pub struct Written<F, T>(PhantomData<fn() -> (F, T)>);

/// Writes a value.
#[doc(hidden)]
pub trait Form<T> {
    fn finish(value: T) -> ToolResult;

    fn schema() -> Option<Value>;
}

/// The error is an `Exit` or one of its parts.
#[doc(hidden)]
pub struct InExit;
/// The error implements `Error`.
#[doc(hidden)]
pub struct InError;
/// The error implements `Display`.
#[doc(hidden)]
pub struct InText;
/// The error has no text. A program with it does not compile.
#[doc(hidden)]
pub struct Mute;
/// There is no error side.
#[doc(hidden)]
pub struct AsIs;

impl<T> Split<Result<T, Exit>> for InExit {
    type Value = T;
    type Error = String;

    #[inline]
    fn split(returned: Result<T, Exit>) -> Result<T, Exit> {
        returned
    }

    fn join(value: T) -> Result<T, Exit> {
        Ok(value)
    }

    fn aborted(returned: &Result<T, Exit>) -> Option<&Abort> {
        match returned {
            Err(Exit::Abort(abort)) => Some(abort),
            _ => None,
        }
    }
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> Split<Result<T, E>> for InError {
    type Value = T;
    type Error = String;

    #[inline]
    fn split(returned: Result<T, E>) -> Result<T, Exit> {
        returned.map_err(Exit::from)
    }

    fn join(value: T) -> Result<T, E> {
        Ok(value)
    }
}

impl<T, E: Display> Split<Result<T, E>> for InText {
    type Value = T;
    type Error = String;

    fn split(returned: Result<T, E>) -> Result<T, Exit> {
        returned.map_err(|error| Exit::tool(error.to_string()))
    }

    fn join(value: T) -> Result<T, E> {
        Ok(value)
    }
}

impl<T, E> Split<Result<T, E>> for Mute {
    type Value = T;
    type Error = E;

    fn split(returned: Result<T, E>) -> Result<T, Exit> {
        returned.map_err(|_| Exit::tool("failed"))
    }

    fn join(value: T) -> Result<T, E> {
        Ok(value)
    }
}

impl<T> Split<T> for AsIs {
    type Value = T;
    type Error = String;

    #[inline]
    fn split(returned: T) -> Result<T, Exit> {
        Ok(returned)
    }

    fn join(value: T) -> T {
        value
    }
}

/// Written in its own form.
#[doc(hidden)]
pub struct Own;
/// Written as JSON, with a schema.
#[doc(hidden)]
pub struct Described;
/// Written as JSON, without a schema.
#[doc(hidden)]
pub struct Undescribed;
/// Not written. A program with it does not compile.
#[doc(hidden)]
pub struct Untold;

impl Own {
    pub fn of<T: OwnForm>(self, _: &Kind<T>) -> Written<Self, T> {
        Written(PhantomData)
    }

    pub fn asked<T>(&self, _: &Kind<T>) -> Kind<String> {
        Kind::new()
    }
}

impl Described {
    pub fn of<T: ToolReturn + JsonSchema>(self, _: &Kind<T>) -> Written<Self, T> {
        Written(PhantomData)
    }

    pub fn asked<T>(&self, _: &Kind<T>) -> Kind<String> {
        Kind::new()
    }
}

impl Undescribed {
    pub fn of<T: ToolReturn>(self, _: &Kind<T>) -> Written<Self, T> {
        Written(PhantomData)
    }

    pub fn asked<T>(&self, _: &Kind<T>) -> Kind<String> {
        Kind::new()
    }
}

impl Untold {
    pub fn of<T>(self, _: &Kind<T>) -> Written<Self, T> {
        Written(PhantomData)
    }

    /// The type that must be a [`ToolReturn`]; text always is.
    pub fn asked<T>(&self, _: &Kind<T>) -> Kind<T> {
        Kind::new()
    }
}

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

    fn schema() -> Option<Value> {
        None
    }
}

impl<T> Form<T> for Untold {
    fn finish(_: T) -> ToolResult {
        Err(Exit::tool("has a result that cannot be told"))
    }

    fn schema() -> Option<Value> {
        None
    }
}

#[inline]
fn json<T: ToolReturn>(value: T) -> ToolResult {
    Ok(from_json(value.into_json()?)?)
}

impl ToolOutput {
    /// The output of a function that returns this value: the text is its JSON, or the string itself, and
    /// `structured_content` returns the value.
    ///
    /// ```
    /// use onionskin::ToolOutput;
    ///
    /// let output = ToolOutput::value(&[1, 2]).unwrap();
    /// assert_eq!(output.to_text(), "[1,2]");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON, or contains a number that JSON does not have.
    pub fn value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        from_json(to_json(value)?)
    }
}

/// The output of a function that returns nothing.
pub(crate) fn unit() -> ToolOutput {
    OwnForm::into_output(())
}

/// The output of a value in JSON.
///
/// # Errors
/// Returns an error if the text is not JSON.
#[inline]
fn from_json(json: String) -> Result<ToolOutput, serde_json::Error> {
    match json.as_bytes().first().copied() {
        Some(b'"') => from_json_string(&json),
        first => Ok(ToolOutput::from_json_text(json, first != Some(b'{'))),
    }
}

/// The string itself is the text, because JSON would put quotes around it: for example around a date or the name of an
/// enum variant.
#[cold]
fn from_json_string(json: &str) -> Result<ToolOutput, serde_json::Error> {
    Ok(ToolOutput::from_string_value(serde_json::from_str(json)?))
}
