//! Definitions from the types of the arguments and the result.

use std::any::{Any, TypeId};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::definition::ToolDefinition;
use super::schema::{arguments_schema, output_schema, type_schema};
use crate::error::ToolResult;
use crate::output::ToolOutput;

/// A return type of a closure for `ToolSpec::from_fn`: a type with `Serialize` and `JsonSchema`, or a
/// [`ToolOutput`].
///
/// Programs do not implement it: they derive `Serialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "the model cannot read this",
    note = "return a type with `Serialize` and `JsonSchema`, or a `ToolOutput`"
)]
pub trait FnOutput: Send + 'static {
    #[doc(hidden)]
    fn into_output(self) -> ToolResult;

    #[doc(hidden)]
    fn schema() -> Option<Value>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema + Send + 'static> FnOutput for T {
    fn into_output(self) -> ToolResult {
        if (&self as &dyn Any).is::<()>() {
            return Ok(ToolOutput::unit());
        }
        Ok(ToolOutput::value(&self)?)
    }

    fn schema() -> Option<Value> {
        (TypeId::of::<T>() != TypeId::of::<()>()).then(output_schema::<T>)
    }
}

impl FnOutput for ToolOutput {
    fn into_output(self) -> ToolResult {
        Ok(self)
    }

    fn schema() -> Option<Value> {
        None
    }
}

impl ToolDefinition {
    /// Creates a definition from the types of the arguments and the result, as `#[tool]` does for a function.
    /// `In` is a struct with named fields, a map, or `()` for no arguments; `Out` is a result type of
    /// `ToolSpec::from_fn`, with `()` or [`ToolOutput`](crate::ToolOutput) for no schema.
    /// [`Args::read`](crate::Args::read) deserialises the arguments as `In`.
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult, ToolSpec, call};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Sum {
    ///     /// The numbers to add.
    ///     numbers: Vec<i64>,
    /// }
    ///
    /// struct Add;
    ///
    /// static ADD: LazyLock<ToolDefinition> =
    ///     LazyLock::new(|| ToolDefinition::from_types::<Sum, i64>(Add::NAME, "Adds numbers."));
    ///
    /// impl Tool for Add {
    ///     const NAME: &'static str = "add";
    ///     type State = ();
    ///     fn definition(&self) -> &ToolDefinition {
    ///         &ADD
    ///     }
    ///     async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
    ///         Ok(ToolOutput::value(&args.read::<Sum>()?.numbers.iter().sum::<i64>())?)
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(call!(ToolSpec::new(Add), numbers = [1, 2]).await.unwrap(), 3);
    /// # });
    /// ```
    ///
    /// If `In` is not deserialised from an object, building an agent with the tool fails
    /// (`BuildError::ToolDefinition`).
    pub fn from_types<In: JsonSchema + 'static, Out: FnOutput>(
        name: impl AsRef<str>,
        description: impl AsRef<str>,
    ) -> Self {
        let schema = arguments_schema::<In>().unwrap_or_else(type_schema::<In>);
        let definition = Self::new(name, description).with_input_schema(schema);
        match Out::schema() {
            Some(schema) => definition.with_output_schema(schema),
            None => definition,
        }
    }
}
