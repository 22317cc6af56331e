//! A script's function as a tool, and its run on a thread of its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use rhai::{AST, Dynamic, Engine, EvalAltResult, FnAccess, ParseError, Scope, ScriptFnMetadata};
use serde_json::{Map, Number, Value};
use tokio::sync::oneshot;

use super::call_error::{failed, place};
use super::calls::{first_wrong, unusable};
use super::docs::Docs;
use super::env::Env;
use super::json::{from_script, to_script};
use super::limits::ScriptLimits;
use super::load_error::ScriptError;
use super::lock::lock;
use super::memory::{MemoryNeed, Meter};
use super::sandbox::{Watch, engine};
use onionskin_core::Args;
use onionskin_core::ToolContext;
use onionskin_core::ToolOutput;
use onionskin_core::schema::{Problem, check};
use onionskin_core::{DynTool, ToolDefinition};
use onionskin_core::{Exit, ToolResult};

/// A function of a script.
pub(super) struct ScriptTool {
    definition: ToolDefinition,
    /// The data of a call, shared with the thread that runs it.
    inner: Arc<Inner>,
}

struct Inner {
    ast: AST,
    function: String,
    env: Env,
    limits: ScriptLimits,
    docs: Docs,
    need: MemoryNeed,
}

impl ScriptTool {
    /// Reads a script.
    ///
    /// # Errors
    /// Returns an error if the script has a mistake.
    pub(super) fn load(
        text: &str,
        func_name: Option<&str>,
        env: Env,
        limits: ScriptLimits,
    ) -> Result<Self, ScriptError> {
        if text.len() > limits.code_bytes {
            let reason =
                format!("the script has {} bytes, and at most {} are allowed", text.len(), limits.code_bytes);
            return Err(at_line(1, reason));
        }
        if let Some(reason) = limits.refused().or_else(|| unusable(&env)) {
            return Err(at_line(1, reason));
        }
        let (owned, func_name, stack) = (text.to_owned(), func_name.map(str::to_owned), limits.stack());
        let load = move || Self::read(&owned, func_name.as_deref(), env, limits);
        let thread =
            std::thread::Builder::new().name("onionskin-script".into()).stack_size(stack).spawn(load);
        match thread.map(std::thread::JoinHandle::join) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(error) => Err(at_line(1, format!("there is no thread to read it on: {error}"))),
        }
    }

    fn read(
        text: &str,
        func_name: Option<&str>,
        env: Env,
        limits: ScriptLimits,
    ) -> Result<Self, ScriptError> {
        let meter = Arc::new(Meter::new(&limits, MemoryNeed::default()));
        let engine = engine(&env, &limits, &Watch::default(), &meter).map_err(|reason| at_line(1, reason))?;
        // The names that functions may use beside their own.
        let mut scope = Scope::new();
        for (name, _) in &env.values {
            scope.push_constant_dynamic(name.as_str(), Dynamic::UNIT);
        }
        let ast = engine.compile_with_scope(&scope, text).map_err(|error| parse_error(&error))?;
        if let Some((position, reason)) = first_wrong(&ast, &env) {
            let (line, column) = place(position).unwrap_or((1, 1));
            return Err(ScriptError::Invalid { line, column, reason });
        }
        // Closures are functions too, under names that a script cannot write.
        let is_open = |function: &ScriptFnMetadata<'_>| {
            function.access == FnAccess::Public && !function.name.contains('$')
        };
        let open: Vec<_> = ast.iter_functions().filter(is_open).collect();
        let names = || open.iter().map(|function| function.name.to_owned()).collect();
        let wrong = |wanted: Option<&str>| ScriptError::Function {
            wanted: wanted.map(str::to_owned),
            functions: names(),
        };
        let chosen = match (func_name, &*open) {
            (None, [only]) => only,
            (None, _) => return Err(wrong(None)),
            (Some(name), _) => {
                open.iter().find(|function| function.name == name).ok_or_else(|| wrong(Some(name)))?
            }
        };
        let line = line_of(text, chosen.name);
        if open.iter().filter(|function| function.name == chosen.name).count() > 1 {
            return Err(at_line(line, format!("there are several functions `{}`; keep one", chosen.name)));
        }
        let docs =
            Docs::read(chosen.name, &chosen.params, &chosen.comments).map_err(|why| at_line(line, why))?;
        let definition = super::definition(chosen.name, &docs);
        let function = chosen.name.to_owned();
        let need = MemoryNeed::of(&ast);
        Ok(Self { definition, inner: Arc::new(Inner { ast, function, env, limits, docs, need }) })
    }

    /// The values of the parameters, in their order.
    fn values(&self, args: &mut Args) -> Result<Vec<Dynamic>, Exit> {
        let refuse = |problems: &[Problem]| Exit::Tool(self.definition.refuse(problems));
        if let Some(number) = args.rounded_number() {
            let reason = format!("the number {number} has more digits than a script can hold");
            return Err(refuse(&[Problem::of_reader(reason)]));
        }
        let given = self.definition.fit(args).map_err(|problems| refuse(&problems))?;
        let properties = &self.definition.input_schema["properties"];
        let value = |(name, default): (&str, Option<&Value>), given: &Map<String, Value>| {
            let value = given.get(name).or(default).unwrap_or(&Value::Null);
            if let Some(number) = too_large(&properties[name], value) {
                return Err(Problem::at(name, format!("the number {number} is too large for a script")));
            }
            to_script(value).map_err(|reason| Problem::at(name, reason))
        };
        let params = self.inner.docs.params.iter();
        let values: Result<_, _> =
            params.map(|param| value((&param.name, param.default.as_ref()), &given)).collect();
        values.map_err(|problem| refuse(&[problem]))
    }
}

impl DynTool for ScriptTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let values = self.values(args)?;
            let watch = Watch::default();
            let _dropped = SetOnDrop(Arc::clone(&watch.dropped));
            let (inner, tool) = (Arc::clone(&self.inner), cx.tool_name().to_owned());
            off_thread(inner.limits.stack(), move || inner.call(&tool, values, &watch)).await
        })
    }

    /// `run_dyn` checks them as it reads them.
    fn fit_args_dyn(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }

    fn check_args_dyn(&self, _: &ToolContext, args: &Args) -> ToolResult<()> {
        self.values(&mut args.clone()).map(drop)
    }
}

impl Inner {
    fn call(&self, tool: &str, values: Vec<Dynamic>, watch: &Watch) -> ToolResult {
        let meter = Arc::new(Meter::new(&self.limits, self.need));
        let engine = engine(&self.env, &self.limits, watch, &meter).map_err(Exit::tool)?;
        let called = self.evaluate(&engine, values);
        // The script may have caught the error.
        if let Some(exit) = lock(&watch.stash).take() {
            return Err(exit);
        }
        let value = called.map_err(|error| failed(&self.limits, tool, &error))?;
        let value = from_script(&value)
            .map_err(|reason| Exit::tool(format!("the result of `{tool}` cannot be used: {reason}")))?;
        if let Some(schema) = self.docs.returned() {
            let problems = check(&value, &schema, &schema, "result");
            if !problems.is_empty() {
                let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
                return Err(Exit::tool(format!(
                    "the result of `{tool}` is not what its docs say: {}",
                    problems.join("; ")
                )));
            }
        } else if value.is_null() {
            return Ok(ToolOutput::unit());
        }
        Ok(ToolOutput::value(&value)?)
    }

    fn evaluate(&self, engine: &Engine, values: Vec<Dynamic>) -> Result<Dynamic, Box<EvalAltResult>> {
        match engine.call_fn(&mut Scope::new(), &self.ast, &self.function, values) {
            Err(error) => match *error {
                // `exit(value)` ends a script without an error.
                EvalAltResult::Exit(value, _) => Ok(value),
                other => Err(Box::new(other)),
            },
            result => result,
        }
    }
}

/// Runs work on a thread of its own with a deep stack.
///
/// # Errors
/// Returns the error of the work, or an error if no thread can be started.
async fn off_thread(stack: usize, work: impl FnOnce() -> ToolResult + Send + 'static) -> ToolResult {
    type Done = Result<ToolResult, Box<dyn Any + Send>>;
    let (sender, receiver) = oneshot::channel::<Done>();
    let run = move || {
        // The caller may have dropped the call.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    };
    std::thread::Builder::new().name("onionskin-script".into()).stack_size(stack).spawn(run)?;
    match receiver.await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Err(Exit::tool("the thread of the script ended before it gave a result")),
    }
}

/// A number that a schema takes for an integer and a script holds as a fraction.
fn too_large<'v>(schema: &Value, value: &'v Value) -> Option<&'v Number> {
    match value {
        Value::Number(number) if number.is_f64() => {
            let is_kind = |kind: &str| match &schema["type"] {
                Value::Array(kinds) => kinds.iter().any(|one| one == kind),
                one => one == kind,
            };
            (is_kind("integer") && !is_kind("number")).then_some(number)
        }
        Value::Array(items) => items.iter().find_map(|item| too_large(&schema["items"], item)),
        Value::Object(fields) => {
            fields.values().find_map(|field| too_large(&schema["additionalProperties"], field))
        }
        _ => None,
    }
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn parse_error(error: &ParseError) -> ScriptError {
    let (line, column) = place(error.position()).unwrap_or((1, 1));
    ScriptError::Invalid { line, column, reason: error.err_type().to_string() }
}

fn at_line(line: usize, reason: String) -> ScriptError {
    ScriptError::Invalid { line, column: 1, reason }
}

/// The line of a function.
fn line_of(text: &str, function: &str) -> usize {
    let is_it = |line: &str| {
        let mut words =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        words.next() == Some("fn") && words.next() == Some(function)
    };
    text.lines().position(is_it).map_or(1, |at| at + 1)
}
