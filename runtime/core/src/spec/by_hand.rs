//! Tools by hand in a few words: a definition from types, and a tool from a definition and a closure.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;

use super::closure::{Awaited, FnOutput, Started};
use super::toolspec::ToolSpec;
use crate::args::Args;
use crate::context::ToolContext;
use crate::definition::{ToolDefinition, arguments_schema, type_schema};
use crate::error::ToolResult;
use crate::tool::DynTool;

impl ToolDefinition {
    /// Makes a definition from the types of the arguments and of the result, as `#[tool]` does from a function's: `In` is a
    /// struct with named fields, a map, or `()` for no arguments; `Out` is a type that [`ToolSpec::from_fn`] takes as
    /// result, `()` or [`ToolOutput`](crate::ToolOutput) for no schema. [`Args::read`] reads the arguments as `In`.
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
    ///     LazyLock::new(|| ToolDefinition::of::<Sum, i64>(Add::NAME, "Adds numbers."));
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
    /// If `In` is not read from an object, an agent with the tool is not built
    /// ([`BuildError::InputSchema`](crate::BuildError::InputSchema)).
    pub fn of<In: JsonSchema + 'static, Out: FnOutput>(
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

/// A definition and a closure that takes the arguments as they are.
struct OfDefinition<F> {
    definition: ToolDefinition,
    function: Awaited<F>,
}

impl ToolSpec {
    /// Makes a tool of a definition and a closure, for a schema that is known only at run time. The arguments are checked
    /// against the schema and brought into its types before the closure gets them. [`Self::from_fn`] derives the schema
    /// from a type. [`Self::approval`] and the other methods change the tool as any other value.
    ///
    /// ```
    /// use onionskin::{ToolDefinition, ToolSpec, call};
    /// use serde_json::json;
    ///
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": { "id": { "type": "integer" } },
    ///     "required": ["id"],
    ///     "additionalProperties": false,
    /// });
    /// let definition = ToolDefinition::new("lookup", "Looks an order up.").with_input_schema(schema);
    /// let spec = ToolSpec::from_definition(definition, |args, _cx| async move {
    ///     Ok(format!("order {}", args["id"]))
    /// });
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(call!(spec, id = "3").await.unwrap(), "order 3");
    /// let wrong = call!(spec, idd = "three").await.unwrap_err().to_string();
    /// assert!(wrong.contains("`idd`: unknown argument; did you mean `id`?"), "{wrong}");
    /// # });
    /// ```
    pub fn from_definition<F, Fut, T>(definition: ToolDefinition, function: F) -> Self
    where
        F: Fn(Args, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ToolResult<T>> + Send + 'static,
        T: FnOutput,
    {
        Self::from_dyn(Arc::new(OfDefinition { definition, function: Awaited(function) }))
    }
}

impl<F> DynTool for OfDefinition<F>
where
    F: Send + Sync + 'static,
    Awaited<F>: Started<Args>,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.function.start(args.clone(), cx)
    }
}
