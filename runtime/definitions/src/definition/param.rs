//! Parameters of tools, as `#[tool]` generates them.

use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Visitor;
use serde::de::value::Error as SilentError;
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::Value;

/// A type for a tool's parameters: serde can deserialise it and schemars can describe it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "the model cannot fill this type",
    note = "a parameter's type needs `Deserialize` and `JsonSchema`: \
            `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "take the agent's state as `State<..>`, and a service of the program as `Provided<..>`; write `#[bind(..)]` on a parameter \
            that is a part of the state, as each secret is, and `#[inject]` on another one that the runtime should fill"
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
    note = "take the agent's state as `State<..>`, and a service of the program as `Provided<..>`; write `#[bind(..)]` on a parameter \
            that is a part of the state, as each secret is, and `#[inject]` on another one that the runtime should fill"
)]
pub trait ToolParameter {
    /// Checks the bound at the span that the macro chooses.
    #[doc(hidden)]
    const IS: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: for<'a> ToolArg<'a>> ToolParameter for T {}

/// A type that can move between threads with a call, as every parameter does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "calls move between threads, and a value of this type cannot",
    note = "calls run on all threads of the runtime: take a type that is `Send` and borrows nothing, `Arc` in place of `Rc`"
)]
pub trait SentToCalls {
    /// Checks the bound at the span that the macro chooses.
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
        Raw::Text(text) => serde_json::from_str::<T>(text).map(drop),
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
    /// Checks whether the type can be deserialised from a value, to list the problems of a refused call.
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

    /// As [`Self::new`], for a type that borrows from the arguments; `T` is the type with the lifetime
    /// `'static`.
    pub const fn borrowing<T: ToolArg<'static>>(name: &'static str, reads: Reads) -> Self {
        Self {
            name,
            description: "",
            schema: schema_of::<T>,
            optional: optional::<T>,
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

/// Detects whether a borrowing type is an alias of `&str`: the inherent constant takes precedence over the
/// trait's.
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

/// The schema of a type, as a function pointer that parameters of one type share.
fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Whether a type, or an alias of it, accepts a missing value, as `Option` does.
pub(super) fn optional<'a, T: Deserialize<'a>>() -> bool {
    missing::<T>().is_some()
}

/// The value for a missing one, if the type has one.
pub fn missing<'a, T: Deserialize<'a>>() -> Option<T> {
    T::deserialize(Missing).ok()
}

/// A deserialiser without a value. A type that accepts it is optional.
struct Missing;

impl<'de> Deserializer<'de> for Missing {
    type Error = SilentError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, SilentError> {
        Err(serde::de::Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SilentError> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
