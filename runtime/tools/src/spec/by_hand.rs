//! Tools from a definition and a closure.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::closure::{Awaited, Started};
use super::toolspec::ToolSpec;
use crate::context::ToolContext;
use crate::tool::DynTool;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{FnOutput, ToolDefinition};
use onionskin_definitions::error::ToolResult;

/// A tool of a definition and a closure that takes untyped arguments.
struct DefinedTool<F> {
    definition: ToolDefinition,
    function: Awaited<F>,
}

impl ToolSpec {
    /// Creates a tool from a definition and a closure, for a schema that is known only at run time. The
    /// arguments are checked against the schema and converted to its types before the closure receives them.
    /// [`Self::from_fn`] derives the schema from a type.
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
        Self::from_dyn(Arc::new(DefinedTool { definition, function: Awaited(function) }))
    }
}

impl<F> DynTool for DefinedTool<F>
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
