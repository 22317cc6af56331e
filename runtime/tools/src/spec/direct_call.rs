//! Direct calls of a tool: async or blocking, returning the main value, a typed value or the whole execution.

use std::any::type_name;
use std::sync::Arc;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::IntoArgs;
use super::execution::Execution;
use super::toolspec::ToolSpec;
use crate::context::{People, RunContext, RunHooks, RunSeed, ToolContext};
use crate::onion::{Call, NoCore, outermost};
use crate::tool::block_on;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::error::{Exit, ToolError, ToolResult};
use onionskin_definitions::output::ToolOutput;

impl ToolSpec {
    /// Calls the tool and returns its main value: the only property of a structured value with one property,
    /// such as the `result` of a scalar; else the whole structured value; else the text.
    ///
    /// The arguments are a JSON object, JSON text, [`Args`], or pairs; `call!` is shorter.
    ///
    /// Cancel safety: dropping the future cancels the call.
    ///
    /// # Errors
    /// Returns the tool error or the abort that ends the call. A stop is not an error.
    pub async fn call(&self, args: impl IntoArgs) -> ToolResult<Value> {
        self.exec(args).await.main_value(self.output_schema())
    }

    /// Calls the tool and deserialises the value that its function returned, without the `{"result": ..}`
    /// that exports wrap around values other than objects. Without a structured value, it deserialises the
    /// text. For a tool of a server, whose return type is unknown, the value is `result` if the output schema
    /// has no other property, else the whole object.
    ///
    /// ```
    /// use onionskin::tool;
    ///
    /// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    /// struct Rows {
    ///     rows: Vec<(i64, i64)>,
    /// }
    ///
    /// /// Gives rows.
    /// #[tool]
    /// fn rows() -> Rows {
    ///     Rows { rows: vec![(1, 2)] }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(rows::spec().call_as::<Rows>("{}").await.unwrap(), Rows { rows: vec![(1, 2)] });
    /// # });
    /// ```
    ///
    /// Cancel safety: dropping the future cancels the call.
    ///
    /// # Errors
    /// As [`Self::call`]; also if the result cannot be deserialised as `T`.
    pub async fn call_as<T: DeserializeOwned>(&self, args: impl IntoArgs) -> ToolResult<T> {
        self.exec(args).await.read(self)
    }

    /// Calls the tool and returns the whole execution: result, duration and attempts.
    ///
    /// Cancel safety: dropping the future cancels the call.
    pub async fn exec(&self, args: impl IntoArgs) -> Execution {
        match args.into_args() {
            Ok(mut args) => self.execute(&mut args).await,
            Err(exit) => Execution::refused(exit),
        }
    }

    /// As [`Self::call`], for synchronous code, inside or outside a tokio runtime: the call runs on a
    /// separate thread, and the current thread waits. The tool must not depend on the current thread: the
    /// tasks of a current-thread runtime make no progress meanwhile.
    ///
    /// # Errors
    /// As [`Self::call`]; also if no thread can be started.
    pub fn call_blocking(&self, args: impl IntoArgs) -> ToolResult<Value> {
        self.exec_blocking(args).main_value(self.output_schema())
    }

    /// As [`Self::call_as`] and [`Self::call_blocking`].
    ///
    /// # Errors
    /// As [`Self::call_as`]; also if no thread can be started.
    pub fn call_as_blocking<T: DeserializeOwned>(&self, args: impl IntoArgs) -> ToolResult<T> {
        self.exec_blocking(args).read(self)
    }

    /// As [`Self::exec`] and [`Self::call_blocking`].
    pub fn exec_blocking(&self, args: impl IntoArgs) -> Execution {
        let mut args = match args.into_args() {
            Ok(args) => args,
            Err(exit) => return Execution::refused(exit),
        };
        let spec = self.share();
        let done = block_on(move || Box::pin(async move { spec.execute(&mut args).await }));
        done.unwrap_or_else(|error| {
            let text = format!("`{}` did not run: no thread for it", self.name());
            Execution::refused(Exit::Tool(ToolError::new(text).with_source(error)))
        })
    }

    async fn execute(&self, args: &mut Args) -> Execution {
        if let Some(missing) = self.no_service() {
            return Execution::refused(missing.into());
        }
        let started = Instant::now();
        let entry = self.share().into_entry();
        let run = RunContext::new(RunSeed {
            session_state: self.state().clone(),
            services: self.services.clone(),
            people: People { approver: self.approver.clone(), ..People::default() },
            hooks: RunHooks { core: Some(Arc::new(NoCore)), ..RunHooks::default() },
            ..RunContext::detached_seed(Arc::clone(&self.typed.handle))
        });
        let mut cx = ToolContext::new(run, Arc::new(entry), Arc::from("direct"), 0, 0);
        cx.log_hooks();
        if cx.entry().looks_at_args() {
            cx.definition().attach_to(args);
        }
        let result = cx.run().hide(outermost(&cx, NoCore.call(&cx, args)).await);
        Execution {
            result,
            duration: started.elapsed(),
            attempts: cx.attempt(),
            hook_exits: cx.take_hook_log(),
        }
    }
}

impl Execution {
    fn into_output(self) -> ToolResult {
        match self.result {
            Err(Exit::Stop(stop)) => Ok(stop.into_output()),
            other => other,
        }
    }

    fn main_value(self, schema: Option<&Value>) -> ToolResult<Value> {
        Ok(main_value(&self.into_output()?, schema))
    }

    fn read<T: DeserializeOwned>(self, spec: &ToolSpec) -> ToolResult<T> {
        let output = self.into_output()?;
        let read = match output.exact_json() {
            Some(json) => serde_json::from_str(json),
            None => serde_json::from_value(own_value(&output, spec)),
        };
        read.map_err(|error| {
            let text = format!("the result of `{}` is not a `{}`: {error}", spec.name(), type_name::<T>());
            Exit::Tool(ToolError::new(text).with_source(error))
        })
    }
}

/// The value that the tool's function returned, without a wrapper.
fn own_value(output: &ToolOutput, spec: &ToolSpec) -> Value {
    let Some(mut value) = output.own_value() else { return output.content_value() };
    if spec.source() == ToolSource::Mcp && !output.is_wrapped() {
        let properties = spec.output_schema().and_then(|schema| schema["properties"].as_object());
        let is_wrapped = properties.is_some_and(|all| all.len() == 1 && all.contains_key("result"));
        if let Some(result) = value.get_mut("result").filter(|_| is_wrapped) {
            return result.take();
        }
    }
    value
}

/// The only property of a structured value with one property; else the whole value.
fn main_value(output: &ToolOutput, schema: Option<&Value>) -> Value {
    let Some(structured) = output.structured_content() else { return output.content_value() };
    if output.is_wrapped() {
        return output.own_value().unwrap_or_default();
    }
    let one = match (schema, &*structured) {
        (Some(schema), Value::Object(_)) => schema["properties"].as_object().filter(|all| all.len() == 1),
        (None, Value::Object(all)) => Some(all).filter(|all| all.len() == 1),
        _ => None,
    };
    let one = one.and_then(|all| structured.get(all.keys().next()?)).cloned();
    one.unwrap_or_else(|| structured.into_owned())
}
