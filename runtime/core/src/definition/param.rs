//! One parameter of a tool, as `#[tool]` writes it down.

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

use super::plain::{from_part, from_text};

/// A type for a tool's parameters: serde can deserialise it and schemars can describe it.
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

/// A [`ToolArg`] for every lifetime, for a parameter that borrows nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "the model cannot fill this type",
    note = "a parameter's type needs `Deserialize` and `JsonSchema`: \
            `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "if it is the agent's state, take `State<..>` of it; what stands in the state, as every secret does, is marked \
            `#[bind(..)]`, and what else the runtime should fill `#[inject]`"
)]
pub trait ToolParameter {
    /// A bound check at the place that the macro points to.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: for<'a> ToolArg<'a>> ToolParameter for T {}

/// A type that can move between threads with a call, as every parameter does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "a call goes from thread to thread, and this cannot be sent with it",
    note = "calls run on all threads of the runtime: take a type that is `Send` and borrows nothing, `Arc` in place of `Rc`"
)]
pub trait SentToCalls {
    /// A bound check at the place that the macro points to.
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
    /// At least this many characters, items or entries.
    MinLength(u64),
    /// At most this many characters, items or entries.
    MaxLength(u64),
    /// Text with a match of this regular expression.
    Pattern(&'static str),
}

/// The value of an argument, as text or after conversion to its type.
#[derive(Debug)]
pub enum Raw<'r> {
    /// The JSON text.
    Text(&'r str),
    /// As a value.
    Value(Value),
}

/// Deserialises a type and returns only the error.
pub(super) type Reads = fn(Raw<'_>) -> Result<(), serde_json::Error>;

/// Deserialises a type and returns only the error.
///
/// # Errors
/// Returns the error.
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
    /// The description for the model.
    pub description: &'static str,
    /// The schema of its type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the type accepts a missing value, as `Option` does.
    pub optional: fn() -> bool,
    /// Checks whether a value can be read as the type. It is used to list the problems of a refused call.
    pub reads: Reads,
    /// The default of a missing value; `None` if it cannot be serialised to JSON.
    pub default: Option<fn() -> Option<Value>>,
    /// An example for the model; `None` if it cannot be serialised to JSON.
    pub example: Option<fn() -> Option<Value>>,
    /// Limits beyond its type.
    pub limits: &'static [ArgLimit],
}

impl Param {
    /// A required parameter of this type, without description or limits.
    pub const fn new<T: for<'a> ToolArg<'a>>(name: &'static str) -> Self {
        Self::borrowing::<T>(name, |raw| reads::<T>(raw))
    }

    /// As [`Self::new`], for a type that borrows from the arguments; `T` is the type with the lifetime `'static`.
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

/// The decoder and the schema of a parameter's type.
///
/// `#[tool]` names a parameter's type once, in the call that makes its reader. So an unsupported type is one error, at
/// the type.
pub struct Reader<T> {
    param: Param,
    pub(super) optional: fn() -> bool,
    /// Deserialises a part of a text.
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
    /// Sets the default of a missing value.
    #[must_use]
    pub const fn or(mut self, default: fn() -> T) -> Self {
        self.default = Some(default);
        self
    }

    /// A required parameter of this type, without description or limits.
    pub const fn param(&self, name: &'static str) -> Param {
        Param { name, ..self.param }
    }
}

/// Whether a borrowing type is an alias of `&str`. An inherent constant takes precedence over a trait's.
pub struct Alias<T>(PhantomData<fn() -> T>);

impl Alias<&'static str> {
    /// The type is `&str`.
    pub const IS_ANOTHER: bool = false;
}

/// Implemented for types other than `&str`.
pub trait NoAlias {
    /// The type is another one.
    const IS_ANOTHER: bool = true;
}

impl<T> NoAlias for Alias<T> {}
