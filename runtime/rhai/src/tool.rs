//! A script's function as a tool.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{BoxFuture, Either, select};
use rhai::Dynamic;
use serde_json::{Map, Number, Value};

use super::call_error::failed;
use super::calls::USE_UI_TOOL;
use super::code::{Code, FunctionSource, SetOnDrop, at_line, off_thread};
use super::docs::Docs;
use super::env::Env;
use super::json::{from_script, to_script};
use super::limits::ScriptLimits;
use super::load_error::ScriptError;
use super::sandbox::Watch;
use super::ui::{self, use_ui_tool};
use super::waiting::{Asks, uncalled, with_function};
use onionskin_core::Args;
use onionskin_core::ToolContext;
use onionskin_core::ToolOutput;
use onionskin_core::schema::{Problem, check};
use onionskin_core::ui::UiMode;
use onionskin_core::{DynTool, ToolDefinition};
use onionskin_core::{Exit, ToolResult};

/// A function of a script.
pub(super) struct ScriptTool {
    definition: ToolDefinition,
    /// The data of a call, shared with the thread that runs it.
    inner: Arc<Inner>,
}

struct Inner {
    code: Code,
    docs: Docs,
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
        ui: Option<(String, UiMode)>,
    ) -> Result<Self, ScriptError> {
        let env = if ui.is_some() { with_function(env, uncalled(USE_UI_TOOL, 3)) } else { env };
        let docs = |found: &FunctionSource<'_>| {
            Docs::read(found.name, found.params, found.comments).map_err(|why| at_line(found.place.0, why))
        };
        let (code, docs) = Code::load(text, func_name, env, limits, docs)?;
        let definition = super::definition(&code.function, &docs);
        let definition = match ui {
            Some((component, mode)) => definition.with_component(component, mode),
            None => definition,
        };
        Ok(Self { definition, inner: Arc::new(Inner { code, docs }) })
    }

    /// The values of the parameters, in order.
    fn values(&self, args: &mut Args) -> Result<Vec<Dynamic>, Exit> {
        let refuse = |problems: &[Problem]| Exit::Tool(self.definition.refuse(problems));
        if let Some(number) = args.rounded_number() {
            let reason = format!("the number {number} has more digits than a script can hold");
            return Err(refuse(&[Problem::from_reader(reason)]));
        }
        let fitted = self.definition.fit(args).map_err(|problems| refuse(&problems))?;
        let properties = &self.definition.input_schema["properties"];
        let value = |(name, default): (&str, Option<&Value>), fitted: &Map<String, Value>| {
            let value = fitted.get(name).or(default).unwrap_or(&Value::Null);
            if let Some(number) = too_large(&properties[name], value) {
                return Err(Problem::at(name, format!("the number {number} is too large for a script")));
            }
            to_script(value).map_err(|reason| Problem::at(name, reason))
        };
        let params = self.inner.docs.params.iter();
        let values: Result<_, _> =
            params.map(|param| value((&param.name, param.default.as_ref()), &fitted)).collect();
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
            let watch = Watch::new(cx.run());
            let _dropped = SetOnDrop(Arc::clone(&watch.dropped));
            let (inner, tool) = (Arc::clone(&self.inner), cx.tool_name().to_owned());
            let (asks, mut requests) = Asks::new(&watch);
            let env = self
                .definition
                .component()
                .map(|_| with_function(self.inner.code.env.clone(), use_ui_tool(asks)));
            let stack = inner.code.limits.stack();
            let mut script = pin!(off_thread(stack, move || {
                inner.call(&tool, env.as_ref().unwrap_or(&inner.code.env), values, &watch)
            }));
            // The environment is dropped with the script. Without a component, there is nobody who asks.
            loop {
                match select(script.as_mut(), pin!(requests.recv())).await {
                    Either::Left((result, _)) => return result,
                    Either::Right((None, _)) => return script.await,
                    Either::Right((Some((shown, answer)), _)) => {
                        // The script may have ended.
                        let _ = answer.send(ui::answer(cx, shown).await);
                    }
                }
            }
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
    fn call(&self, tool: &str, env: &Env, values: Vec<Dynamic>, watch: &Watch) -> ToolResult {
        let called = self.code.call(env, values, watch)?;
        let value = called.map_err(|error| match self.code.thrown(&error) {
            Some(text) => Exit::tool(text),
            None => failed(&self.code.limits, tool, &error),
        })?;
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
