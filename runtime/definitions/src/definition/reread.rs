//! Deserialises the result of a tool call as the function's return type, for typed hooks on a tool with its own
//! layers. [`ladder`](super::ladder) selects how.

use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use super::result::{Sides, Split};
use super::result_types::Kind;
use crate::content::{Audio, ContentBlock, Image, Resource, ResourceLink};
use crate::output::ToolOutput;

/// Results with their own form instead of JSON.
pub trait OwnReading: Sized {
    /// Whether the value is the whole output, including metadata.
    const WHOLE: bool = false;

    fn reread(output: &ToolOutput) -> Result<Self, String>;
}

impl OwnReading for ToolOutput {
    const WHOLE: bool = true;

    fn reread(output: &ToolOutput) -> Result<Self, String> {
        Ok(output.clone())
    }
}

impl OwnReading for () {
    fn reread(_: &ToolOutput) -> Result<(), String> {
        Ok(())
    }
}

impl OwnReading for Vec<ContentBlock> {
    fn reread(output: &ToolOutput) -> Result<Self, String> {
        Ok(output.content().to_vec())
    }
}

/// The only block, if it is of this kind.
macro_rules! only_block {
    ($($type:ty, $words:literal, $pattern:pat => $value:expr;)*) => {$(
        impl OwnReading for $type {
            fn reread(output: &ToolOutput) -> Result<Self, String> {
                match output.content() {
                    [$pattern] => Ok($value),
                    blocks => Err(format!(concat!("expected ", $words, ", found {} blocks"), blocks.len())),
                }
            }
        }
    )*};
}

only_block! {
    ContentBlock, "one block of content", block => block.clone();
    Image, "one picture", ContentBlock::Image(media) => Self((**media).clone());
    Audio, "one sound", ContentBlock::Audio(media) => Self((**media).clone());
    Resource, "one resource", ContentBlock::Resource(resource) => (**resource).clone();
    ResourceLink, "one link to a resource", ContentBlock::ResourceLink(link) => (**link).clone();
}

macro_rules! texts {
    ($($type:ty),*) => {$(
        impl OwnReading for $type {
            fn reread(output: &ToolOutput) -> Result<Self, String> {
                if let Some(value) = output.own_value() {
                    return serde_json::from_value(value).map_err(|error| error.to_string());
                }
                match output.content() {
                    [ContentBlock::Text(text)] => Ok(text.clone().into()),
                    blocks => Err(format!("expected one text, found {} blocks", blocks.len())),
                }
            }
        }
    )*};
}

texts!(String, Box<str>, Cow<'static, str>);

impl<T: OwnReading> OwnReading for Option<T> {
    const WHOLE: bool = T::WHOLE;

    fn reread(output: &ToolOutput) -> Result<Self, String> {
        // `()` has no value, but is not a missing value.
        let is_none = output.is_wrapped() && output.own_value().is_some_and(|value| value.is_null());
        if is_none { Ok(None) } else { T::reread(output).map(Some) }
    }
}

/// A rung of the `ReadLadder`: how a value is read.
pub struct Readable<F, A> {
    form: PhantomData<fn() -> F>,
    /// The type that must be [`ReadAgain`]; text always is.
    pub asked: Kind<A>,
}

impl<F, A> Readable<F, A> {
    pub(super) const fn new() -> Self {
        Self { form: PhantomData, asked: Kind::new() }
    }
}

/// Read in its own form.
pub struct InOwnForm;
/// Read as JSON.
pub struct InJson;
/// Not read. A typed hook on such a tool does not compile.
pub struct Unread;

/// How a value of this type is read.
pub trait ReadForm<T> {
    const WHOLE: bool = false;

    fn reread(output: &ToolOutput) -> Result<T, String>;
}

impl<T: OwnReading> ReadForm<T> for InOwnForm {
    const WHOLE: bool = T::WHOLE;

    fn reread(output: &ToolOutput) -> Result<T, String> {
        T::reread(output)
    }
}

impl<T: DeserializeOwned> ReadForm<T> for InJson {
    fn reread(output: &ToolOutput) -> Result<T, String> {
        output.read_own().map_err(|error| error.to_string())
    }
}

impl<T> ReadForm<T> for Unread {
    fn reread(_: &ToolOutput) -> Result<T, String> {
        Err("it cannot be read".to_owned())
    }
}

/// Deserialises an output as the tool's return type. The typed hook provides it, because the output of a tool
/// without typed hooks need not be deserialisable.
#[derive(Clone, Copy)]
pub struct Reading {
    read: fn(&ToolOutput) -> Result<Box<dyn Any + Send>, String>,
    /// Whether the value is the whole output, including metadata.
    pub is_whole: bool,
}

impl Reading {
    /// # Errors
    /// Returns a message if the output is not such a value.
    pub fn read<R: 'static>(self, output: &ToolOutput) -> Result<R, String> {
        let value = (self.read)(output)?.downcast();
        value.map(|value| *value).map_err(|_| "it belongs to another tool".to_owned())
    }
}

impl<S, T, E> Sides<S, T, E> {
    /// Both rungs together.
    #[expect(clippy::unused_self, reason = "only the type of the rung is used")]
    pub fn reader<R: Send + 'static, F: ReadForm<S::Value>, A>(
        self,
        _: &Kind<R>,
        _: Readable<F, A>,
    ) -> Reading
    where
        S: Split<R>,
    {
        Reading { read: |output| Ok(Box::new(S::join(F::reread(output)?))), is_whole: F::WHOLE }
    }
}

/// A return type that can be read from its tool's result, so that a typed hook can get it from a tool with
/// its own layers.
#[diagnostic::on_unimplemented(
    message = "a typed hook cannot be put here: `{Self}` cannot be read from a tool's result again",
    label = "the result of this tool has no `Deserialize`",
    note = "the tool has hooks or stages of its own, and the typed hook gets their result as JSON",
    note = "write `#[derive(serde::Deserialize)]` on `{Self}`, or a raw hook (`args: &mut Args`), which can be put on any tool"
)]
pub trait ReadAgain: Sized {
    #[doc(hidden)]
    fn is_read(_: &Kind<Self>) {}
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> ReadAgain for T {}
