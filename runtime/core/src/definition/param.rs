//! One parameter of a tool, as `#[tool]` writes it down.

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

use super::plain::{from_part, from_text};

/// A type that a parameter of a tool can have: what serde can read and schemars can describe.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "the model cannot fill this type",
    note = "a parameter's type needs `Deserialize` and `JsonSchema`: \
            `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "if it is the agent's state, take `State<..>` of it; what stands in the state, as every secret does, is marked \
            `#[bind(..)]`, and what else the runtime should fill `#[inject]`"
)]
pub trait ToolArg<'a>: Deserialize<'a> + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<'a, T: Deserialize<'a> + JsonSchema> ToolArg<'a> for T {}

/// A [`ToolArg`] of every lifetime: what a parameter that borrows nothing is asked.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "the model cannot fill this type",
    note = "a parameter's type needs `Deserialize` and `JsonSchema`: \
            `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "if it is the agent's state, take `State<..>` of it; what stands in the state, as every secret does, is marked \
            `#[bind(..)]`, and what else the runtime should fill `#[inject]`"
)]
pub trait ToolParameter {
    /// Asks for it, where the macro points.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: for<'a> ToolArg<'a>> ToolParameter for T {}

/// A type that goes with a call from thread to thread, as every parameter does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "a call goes from thread to thread, and this cannot be sent with it",
    note = "calls run on all threads of the runtime: take a type that is `Send` and borrows nothing, `Arc` in place of `Rc`"
)]
pub trait SentToCalls {
    /// Asks for it, where the macro points.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> SentToCalls for T {}

/// A limit on a parameter, shown in its schema and checked before the tool runs.
#[derive(Debug, Clone, Copy)]
pub enum ArgLimit {
    /// At least this number.
    Minimum(f64),
    /// At most this number.
    Maximum(f64),
    /// More than this number.
    ExclusiveMinimum(f64),
    /// Less than this number.
    ExclusiveMaximum(f64),
    /// At least so many characters, items or entries.
    MinLength(u64),
    /// At most so many characters, items or entries.
    MaxLength(u64),
    /// Text that this regular expression matches somewhere.
    Pattern(&'static str),
}

/// The value of an argument, as it was written or after it was made fit for its type.
#[derive(Debug)]
pub enum Raw<'r> {
    /// As it stands in the text.
    Text(&'r str),
    /// As a value.
    Value(Value),
}

/// Tries to read a type, and keeps only what went wrong.
pub(super) type Reads = fn(Raw<'_>) -> Result<(), serde_json::Error>;

/// Tries to read a type.
///
/// # Errors
/// What went wrong.
pub fn reads<'a, T: ToolArg<'a>>(raw: Raw<'a>) -> Result<(), serde_json::Error> {
    match raw {
        Raw::Text(text) => from_text::<T>(text).map(drop),
        Raw::Value(value) => T::deserialize(value).map(drop),
    }
}

/// One parameter that the model fills.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name in the schema.
    pub name: &'static str,
    /// What it is: the model reads it.
    pub description: &'static str,
    /// The schema of its type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the type reads a missing value as nothing, as `Option` does.
    pub optional: fn() -> bool,
    /// Whether the type can be read from this; asked when a call is refused, to tell all that is wrong with it.
    pub reads: Reads,
    /// Stands in for a missing value; gives nothing if it cannot be written as JSON.
    pub default: Option<fn() -> Option<Value>>,
    /// An example for the model; gives nothing if it cannot be written as JSON.
    pub example: Option<fn() -> Option<Value>>,
    /// Limits beyond its type.
    pub limits: &'static [ArgLimit],
}

impl Param {
    /// A required parameter of this type, without words or limits.
    pub const fn new<T: for<'a> ToolArg<'a>>(name: &'static str) -> Self {
        Self::borrowing::<T>(name, |raw| reads::<T>(raw))
    }

    /// As [`Self::new`], for a type that borrows from the arguments; `T` is the type that lives for ever.
    pub const fn borrowing<T: ToolArg<'static>>(name: &'static str, reads: Reads) -> Self {
        Self {
            name,
            description: "",
            schema: super::schema::schema_of::<T>,
            optional: super::schema::optional::<T>,
            reads,
            default: None,
            example: None,
            limits: &[],
        }
    }

    pub(crate) fn required(&self) -> bool {
        self.default.is_none() && !(self.optional)()
    }
}

/// How a type is read and described: everything that the runtime needs to know of a parameter's type.
///
/// `#[tool]` names a parameter's type once, in the call that makes its reader. A type that cannot be read
/// is thereby one error, at the type.
pub struct Reader<T> {
    param: Param,
    pub(super) optional: fn() -> bool,
    /// Reads a part of a text.
    pub(super) from_part: fn(&str, (usize, usize)) -> Result<T, serde_json::Error>,
    pub(super) from_value: fn(Value) -> Result<T, serde_json::Error>,
    pub(super) default: Option<fn() -> T>,
}

/// The reader of a type.
pub const fn reader<T: for<'a> ToolArg<'a>>() -> Reader<T> {
    Reader {
        param: Param::new::<T>(""),
        optional: super::schema::optional::<T>,
        from_part: |text, part| from_part(text, part),
        from_value: |value| T::deserialize(value),
        default: None,
    }
}

impl<T> Reader<T> {
    /// The same, with a value that stands in for a missing one.
    #[must_use]
    pub const fn or(mut self, default: fn() -> T) -> Self {
        self.default = Some(default);
        self
    }

    /// A required parameter of this type, without words or limits.
    pub const fn param(&self, name: &'static str) -> Param {
        Param { name, ..self.param }
    }
}

/// Asks a type that borrows whether it is `&str` under another name. An inherent constant wins over a trait's.
pub struct Alias<T>(PhantomData<fn() -> T>);

impl Alias<&'static str> {
    /// It is not another type.
    pub const IS_ANOTHER: bool = false;
}

/// A type that is not `&str`.
pub trait NoAlias {
    /// It is another type.
    const IS_ANOTHER: bool = true;
}

impl<T> NoAlias for Alias<T> {}
