//! One parameter of a tool, as `#[tool]` writes it down.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

/// A type that a parameter of a tool can have: what serde can read and schemars can describe.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "the model cannot fill this type",
    note = "a parameter's type needs `Deserialize` and `JsonSchema`: \
            `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "if the runtime should fill it, mark the parameter `#[inject]`"
)]
pub trait ToolArg<'a>: Deserialize<'a> + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<'a, T: Deserialize<'a> + JsonSchema> ToolArg<'a> for T {}

/// A limit on a parameter, shown in its schema and checked before the tool runs.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
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
    /// The value that stands in for a missing one.
    pub default: Option<fn() -> Value>,
    /// An example for the model.
    pub example: Option<fn() -> Value>,
    /// Limits beyond its type.
    pub limits: &'static [Limit],
}

impl Param {
    /// A required parameter without words or limits.
    pub const fn new(
        name: &'static str,
        schema: fn(&mut SchemaGenerator) -> Schema,
        optional: fn() -> bool,
    ) -> Self {
        Self { name, description: "", schema, optional, default: None, example: None, limits: &[] }
    }

    pub(crate) fn required(&self) -> bool {
        self.default.is_none() && !(self.optional)()
    }
}
