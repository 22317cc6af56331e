//! A script's function as a rule for approval.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use onionskin_core::Args;
use serde_json::Value;

use super::call_error::failed;
use super::code::{Code, FunctionSource};
use super::env::Env;
use super::json::{from_script, to_script};
use super::limits::ScriptLimits;
use super::load_error::ScriptError;
use super::sandbox::Watch;

/// The most time of a rule, because the call waits for it on the thread of its run.
const MOST_TIME: Duration = Duration::from_millis(200);

/// A rule for approval that is a function of a script: [`approval_rule_from_code`](super::approval_rule_from_code) makes it.
#[derive(Clone)]
pub struct ScriptRule {
    code: Arc<Code>,
}

impl ScriptRule {
    /// Reads a script.
    ///
    /// # Errors
    /// Returns an error if the script has a mistake, or if the function has other parameters.
    pub(super) fn load(
        text: &str,
        func_name: Option<&str>,
        env: Env,
        mut limits: ScriptLimits,
    ) -> Result<Self, ScriptError> {
        limits.time = limits.time.min(MOST_TIME);
        let (code, ()) = Code::load(text, func_name, env, limits, one_parameter)?;
        Ok(Self { code: Arc::new(code) })
    }

    /// `None` if the call needs no approval, else `Some` with an optional reason.
    pub fn needed(&self, args: &Args) -> Option<Option<String>> {
        match self.call(args) {
            Ok(Value::Bool(false) | Value::Null) => None,
            Ok(Value::Bool(true)) => Some(None),
            Ok(Value::String(reason)) => Some(Some(reason)),
            Ok(Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Some(Some(self.failed("it gives neither `true`, `false` nor a reason")))
            }
            Err(reason) => Some(Some(self.failed(&reason))),
        }
    }

    fn failed(&self, reason: &str) -> String {
        format!("the rule `{}` failed: {reason}", self.code.function)
    }

    fn call(&self, args: &Args) -> Result<Value, String> {
        let value = args.as_object().map_or(Value::Null, |args| Value::Object(args.clone()));
        let code = &*self.code;
        let call = move || {
            let values = vec![to_script(&value)?];
            match code.call(&code.env, values, &Watch::default()) {
                Ok(Ok(value)) => from_script(&value),
                Ok(Err(error)) => Err(match code.thrown(&error) {
                    Some(reason) => reason,
                    None => failed(&code.limits, &code.function, &error).to_string(),
                }),
                Err(exit) => Err(exit.to_string()),
            }
        };
        thread::scope(|scope| {
            let name = "onionskin-script".to_owned();
            let thread = thread::Builder::new().name(name).stack_size(code.limits.stack());
            let thread = thread.spawn_scoped(scope, call).map_err(|error| error.to_string())?;
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

/// A rule takes the arguments of the call.
fn one_parameter(found: &FunctionSource<'_>) -> Result<(), ScriptError> {
    if found.params.len() == 1 {
        return Ok(());
    }
    let (name, (line, column)) = (found.name, found.place);
    let reason = format!("a rule takes the arguments of the call: `fn {name}(args)`");
    Err(ScriptError::Invalid { line, column, reason })
}
