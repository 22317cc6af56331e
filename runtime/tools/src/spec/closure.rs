//! Tools from closures with typed arguments.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::toolspec::ToolSpec;
use crate::context::ToolContext;
use crate::tool::{DynTool, offload};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{FnOutput, ToolDefinition, arguments_schema, fits};
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::json::{repair, with_digits};
use onionskin_definitions::schema::{Problem, culprit, halves};

struct Closure<A, F> {
    definition: ToolDefinition,
    function: F,
    args: PhantomData<fn(A)>,
}

impl ToolSpec {
    /// Creates a tool from a closure. The first argument is a struct with `Deserialize` and `JsonSchema`,
    /// whose fields and their documentation become the schema. The second argument is the call's context. `?`
    /// converts any error.
    ///
    /// ```
    /// use onionskin::{ToolSpec, call};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Query {
    ///     /// What to look for.
    ///     query: String,
    ///     limit: Option<u32>,
    /// }
    ///
    /// let spec = ToolSpec::from_fn("search", "Searches.", |args: Query, cx| async move {
    ///     Ok(format!("{}: {} of {}", cx.tool_name(), args.limit.unwrap_or(10), args.query))
    /// });
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(call!(spec, query = "x").await.unwrap(), "search: 10 of x");
    /// let wrong = call!(spec, query = 5, limt = 3).await.unwrap_err().to_string();
    /// assert!(wrong.contains("`query`: expected a string") && wrong.contains("did you mean `limit`?"), "{wrong}");
    /// # });
    /// ```
    ///
    /// # Panics
    /// Panics if `A` is not deserialised from an object: use a struct with named fields, a map, or `()` for
    /// no arguments.
    pub fn from_fn<A, F, Fut, T>(name: &str, description: &str, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ToolResult<T>> + Send + 'static,
        T: FnOutput,
    {
        Self::from_closure::<A, T, _>(name, description, Awaited(function))
    }

    /// As [`Self::from_fn`], for a blocking closure. Each call runs on its own thread outside the async
    /// executor, like a `#[tool(blocking)]` function.
    ///
    /// ```
    /// use onionskin::{ToolSpec, call};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Nap {
    ///     millis: u64,
    /// }
    ///
    /// let spec = ToolSpec::from_blocking_fn("nap", "Sleeps.", |args: Nap, cx| {
    ///     std::thread::sleep(std::time::Duration::from_millis(args.millis));
    ///     Ok(format!("{} slept", cx.tool_name()))
    /// });
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(call!(spec, millis = 1).await.unwrap(), "nap slept");
    /// # });
    /// ```
    ///
    /// # Panics
    /// As [`Self::from_fn`].
    pub fn from_blocking_fn<A, F, T>(name: &str, description: &str, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A, ToolContext) -> ToolResult<T> + Send + Sync + 'static,
        T: FnOutput,
    {
        Self::from_closure::<A, T, _>(name, description, Blocking(Arc::new(function)))
    }

    fn from_closure<A, T, F>(name: &str, description: &str, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Started<A>,
        T: FnOutput,
    {
        let schema = arguments_schema::<A>().unwrap_or_else(|| {
            panic!(
                "the arguments of the tool `{name}` must be a struct with named fields, but `{}` is read from something else",
                std::any::type_name::<A>()
            )
        });
        let mut definition = ToolDefinition::new(name, description).with_input_schema(schema);
        if let Some(schema) = T::schema() {
            definition = definition.with_output_schema(schema);
        }
        Self::from_dyn(Arc::new(Closure { definition, function, args: PhantomData }))
    }
}

/// Starts a closure.
pub(super) trait Started<A>: Send + Sync + 'static {
    fn start<'a>(&'a self, args: A, cx: &'a ToolContext) -> BoxFuture<'a, ToolResult>;
}

pub(super) struct Awaited<F>(pub(super) F);

impl<A, F, Fut, T> Started<A> for Awaited<F>
where
    A: Send + 'static,
    F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ToolResult<T>> + Send + 'static,
    T: FnOutput,
{
    fn start<'a>(&'a self, args: A, cx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { self.0(args, cx.to_owned_attempt()).await?.into_output() })
    }
}

struct Blocking<F>(Arc<F>);

impl<A, F, T> Started<A> for Blocking<F>
where
    A: Send + 'static,
    F: Fn(A, ToolContext) -> ToolResult<T> + Send + Sync + 'static,
    T: FnOutput,
{
    fn start<'a>(&'a self, args: A, cx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        let function = Arc::clone(&self.0);
        Box::pin(offload(cx, move |cx| function(args, cx.to_owned_attempt())?.into_output()))
    }
}

impl<A, F> DynTool for Closure<A, F>
where
    A: DeserializeOwned + Send + 'static,
    F: Started<A>,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let read: A = self.read(args)?;
            self.function.start(read, cx).await
        })
    }

    /// `run_dyn` deserialises and checks the arguments in one step.
    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    fn check_args_dyn(&self, _: &ToolContext, args: &Args) -> ToolResult<()> {
        self.read(&mut args.clone()).map(drop)
    }
}

impl<A: DeserializeOwned + 'static, F> Closure<A, F> {
    fn read(&self, args: &mut Args) -> ToolResult<A> {
        let refuse = |problems: &[Problem]| Exit::Tool(self.definition.refuse(problems));
        // `()` takes no arguments.
        if TypeId::of::<A>() == TypeId::of::<()>() {
            self.definition.fit(args).map_err(|problems| refuse(&problems))?;
            return Ok(A::deserialize(Value::Null)?);
        }
        if args.as_object().is_ok() {
            args.flush();
            let text = args.flushed_text();
            let repaired = repair(text);
            let text = repaired.as_deref().unwrap_or(text);
            let read =
                || serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&with_digits(text)?).ok());
            // The schema, which the model sees, decides, also if the type accepts more.
            if fits(&self.definition, args)
                && args.as_object().is_ok_and(|object| self.halves(object).is_empty())
                && let Some(read) = read()
            {
                return Ok(read);
            }
        }
        let object = self.definition.fit(args).map_err(|problems| refuse(&problems))?;
        // The schema accepts the values, but the type may still reject or drop some.
        let halves = self.halves(&object);
        if !halves.is_empty() {
            return Err(refuse(&halves));
        }
        let value = Value::Object(object);
        A::deserialize(&value).map_err(|error| {
            let place = culprit("", &value, |value| A::deserialize(value).is_ok());
            refuse(&[Problem::from_reader(error.to_string()).moved(place)])
        })
    }

    /// The fields that the type drops because sibling fields are missing.
    fn halves(&self, object: &Map<String, Value>) -> Vec<Problem> {
        let schema = &*self.definition.input_schema;
        let value = Value::Object(object.clone());
        halves(&value, schema, schema, "", |value| A::deserialize(value).is_ok())
    }
}
