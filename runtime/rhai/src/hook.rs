//! A script's function as a hook around tool calls.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{Either, select};
use onionskin_core::{
    Args, ErrorKind, Exit, Hook, Next, ToolContext, ToolError, ToolOutput, ToolResult, made,
};
use rhai::{Dynamic, EvalAltResult};
use serde_json::{Map, Value, json};

use super::call_error::failed;
use super::calls::CALL_NEXT;
use super::code::{Code, FunctionSource, SetOnDrop, off_thread};
use super::env::{Env, Function};
use super::json::{from_script, to_script};
use super::limits::ScriptLimits;
use super::load_error::ScriptError;
use super::sandbox::Watch;
use super::waiting::{Asks, uncalled, with_function};

/// A hook around tool calls that is a function of a script: [`hook_from_code`](super::hook_from_code) makes it.
#[derive(Clone)]
pub struct ScriptHook {
    code: Arc<Code>,
    /// The file of the script, as descriptions show it.
    file: Option<Arc<str>>,
}

/// What became of a script: its value, or why that cannot be used.
type Called = Result<Result<Value, String>, Box<EvalAltResult>>;

impl ScriptHook {
    /// Reads a script.
    ///
    /// # Errors
    /// Returns an error if the script has a mistake, or if the function has other parameters.
    pub(super) fn load(
        text: &str,
        func_name: Option<&str>,
        file: Option<String>,
        env: Env,
        limits: ScriptLimits,
    ) -> Result<Self, ScriptError> {
        let env = with_function(env, uncalled(CALL_NEXT, 1));
        let (code, ()) = Code::load(text, func_name, env, limits, parameters)?;
        Ok(Self { code: Arc::new(code), file: file.map(Into::into) })
    }

    /// The name of the function.
    pub fn name(&self) -> &str {
        &self.code.function
    }

    /// The result of the hook, from the result of its function and the result of the inner call.
    fn finish(&self, called: Result<Called, Exit>, inner: Option<ToolResult>) -> ToolResult {
        let hook = self.name();
        let returned = match (called, &inner) {
            // An error of `call_next` that the script did not catch, or threw again.
            (Ok(Err(error)), Some(Err(exit)))
                if thrown(&error).is_some_and(|text| text == next_failed(exit)) =>
            {
                Err(exit.clone())
            }
            (Ok(Err(error)), _) => Err(match self.code.thrown(&error) {
                Some(reason) => Exit::denied(reason),
                None => failed(&self.code.limits, hook, &error),
            }),
            (Ok(Ok(value)), _) => value.map_err(|reason| {
                Exit::tool(format!("the result of the hook `{hook}` cannot be used: {reason}"))
            }),
            (Err(exit), _) => Err(exit),
        };
        match (returned, inner) {
            // Nothing, or the text that it was given: the output stays what it is.
            (Ok(Value::Null), Some(Ok(output))) => Ok(output),
            (Ok(Value::String(text)), Some(Ok(output))) if *output.to_text() == text => Ok(output),
            (Ok(Value::Null), None) => Err(Exit::tool(format!(
                "the call did not run: the hook `{hook}` neither goes on with `{CALL_NEXT}(args)` nor returns a value"
            ))),
            (Ok(Value::Null), Some(Err(_))) => Ok(ToolOutput::unit()),
            (Ok(Value::String(text)), _) => Ok(ToolOutput::text(text)),
            (Ok(value), _) => Ok(ToolOutput::value(&value)?),
            (Err(exit), Some(Ok(_))) => Err(has_run(exit)),
            (Err(exit), _) => Err(exit),
        }
    }
}

/// A hook has two parameters.
fn parameters(found: &FunctionSource<'_>) -> Result<(), ScriptError> {
    let (name, count) = (found.name, found.params.len());
    if count == 2 {
        return Ok(());
    }
    let (line, column) = found.place;
    let reason = format!(
        "a hook takes two parameters and goes on with `call_next(args)`: `fn {name}(ctx, args)`; this takes {count}"
    );
    Err(ScriptError::Invalid { line, column, reason })
}

/// An error of a hook behind a call that has run: nobody may repeat it because of the error. The result is left out, because the hook may
/// withhold it.
fn has_run(exit: Exit) -> Exit {
    match exit {
        Exit::Tool(error) => {
            let text = format!("{error}\nThe call has run before this error, so do not repeat it.");
            Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Unreadable))
        }
        other @ (Exit::Stop(_) | Exit::Abort(_)) => other,
    }
}

/// The text that a script catches.
fn next_failed(exit: &Exit) -> String {
    format!("`{CALL_NEXT}`: {exit}")
}

/// The text that an error of a script was thrown with.
fn thrown(error: &EvalAltResult) -> Option<String> {
    match error.unwrap_inner() {
        EvalAltResult::ErrorRuntime(value, _) => value.clone().into_string().ok(),
        _ => None,
    }
}

impl Hook for ScriptHook {
    type Made = made::AtRunTime;

    fn shown_name(&self) -> Option<String> {
        Some(match &self.file {
            Some(file) => format!("{file}:{}", self.name()),
            None => self.name().to_owned(),
        })
    }

    async fn call<'a, 'b, N: Next>(&'a self, cx: &'a ToolContext, args: &'b mut Args, next: N) -> ToolResult {
        let arguments = Value::Object(args.as_object().map_err(Clone::clone)?.clone());
        let values = vec![value(&context(cx))?, value(&arguments)?];
        let watch = Watch::new(cx.run());
        let _dropped = SetOnDrop(Arc::clone(&watch.dropped));
        let (asks, mut requests) = Asks::new(&watch);
        let env = with_function(self.code.env.clone(), call_next(asks));
        let (code, stack) = (Arc::clone(&self.code), self.code.limits.stack());
        // The environment is dropped with the script, so `requests.recv()` does not wait for a script that asks nothing.
        let script = off_thread(stack, move || {
            let called = code.call(&env, values, &watch)?;
            Ok(called.map(|value| from_script(&value)))
        });
        let mut script = pin!(script);
        let (called, inner) = match select(script.as_mut(), pin!(requests.recv())).await {
            Either::Left((called, _)) => (called, None),
            Either::Right((None, _)) => (script.await, None),
            Either::Right((Some((wanted, answer)), _)) => {
                if args.as_object().ok() != Some(&wanted) {
                    args.replace(wanted);
                }
                let result = next.run(args).await;
                let outcome = match &result {
                    Ok(output) => Ok(Value::String(output.to_text().into_owned())),
                    Err(Exit::Tool(error)) => Err(Exit::Tool(ToolError::new(error.to_string()))),
                    // No script decides about it.
                    Err(_) => return result,
                };
                // The script may have ended.
                let _ = answer.send(outcome);
                (script.await, Some(result))
            }
        };
        self.finish(called, inner)
    }
}

/// What a script sees of a call.
fn context(cx: &ToolContext) -> Value {
    json!({
        "agent_name": cx.agent_name(),
        "server_name": cx.server_name(),
        "tool_name": cx.tool_name(),
        "tool_source": cx.source().to_string(),
        "call_id": cx.call_id(),
        "correlation_id": cx.correlation_id(),
    })
}

fn value(json: &Value) -> Result<Dynamic, Exit> {
    to_script(json).map_err(|reason| Exit::tool(format!("a script cannot see the arguments: {reason}")))
}

/// `call_next` of one call.
fn call_next(asks: Asks<Map<String, Value>>) -> Function {
    let was_called = AtomicBool::new(false);
    let call = move |mut values: Vec<Value>| {
        let Some(Value::Object(wanted)) = values.pop() else {
            return Err(Exit::tool("it takes the arguments, which are a map"));
        };
        if was_called.swap(true, Ordering::Relaxed) {
            return Err(Exit::tool("a hook calls it once"));
        }
        asks.ask(wanted)
    };
    Function { name: CALL_NEXT.to_owned(), params: 1, call: Arc::new(call) }
}
