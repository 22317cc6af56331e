//! The run hooks of a run: before its first turn, and after its last one.

use std::error::Error;
use std::sync::Arc;

use onionskin_definitions::error::BoxError;
use onionskin_tools::event::EventKind;

use crate::agent::error::run_error::RunError;
use crate::places::tried;
use crate::run_hook::{DynRunHook, RunAnswer, RunInput};

use super::run::AgentRun;

impl AgentRun {
    /// Runs the hooks before the run on the input.
    ///
    /// # Errors
    /// Returns an error if a hook refuses the input or fails, or if the run is over.
    pub(in crate::agent) async fn before_run(&self, input: String) -> Result<String, RunError> {
        let mut input = self.take_attached().unwrap_or_else(|| RunInput::from(input));
        for hook in &self.instance.declaration.run_hooks {
            self.unless_cancelled()?;
            let before = hook.ignores_errors().then(|| input.clone());
            let done = tried(async { hook.before_run(&self.cx, &mut input).await }).await;
            let Err(error) = done else { continue };
            match before {
                Some(before) => input = before,
                None => {
                    return Err(self.hook_failed(&**hook, error, |agent, hook, source| {
                        RunError::InputCheck { agent, hook, source }
                    }));
                }
            }
            self.hook_ignored(&**hook, &error);
        }
        self.keep_attached(&input);
        Ok(input.into_text())
    }

    /// Runs the hooks after the run on the answer.
    ///
    /// # Errors
    /// Returns an error if a hook refuses the answer or fails, or if the run is over.
    pub(in crate::agent) async fn after_run(&self, answer: String) -> Result<String, RunError> {
        let form = self.answer.as_deref();
        let mut answer = RunAnswer::from(answer);
        answer.is_json = form.is_some();
        let mut changed_by = None;
        for hook in &self.instance.declaration.run_hooks {
            self.unless_cancelled()?;
            let before = (form.is_some() || hook.ignores_errors()).then(|| answer.clone());
            let done = tried(async { hook.after_run(&self.cx, &mut answer).await }).await;
            let Err(error) = done else {
                if before.is_some_and(|before| before != answer) {
                    changed_by = Some(hook.name());
                }
                continue;
            };
            let before = before.filter(|_| hook.ignores_errors());
            match before {
                Some(before) => answer = before,
                None => {
                    return Err(self.hook_failed(&**hook, error, |agent, hook, source| {
                        RunError::OutputCheck { agent, hook, source }
                    }));
                }
            }
            self.hook_ignored(&**hook, &error);
        }
        if let (Some(form), Some(hook)) = (form, changed_by) {
            self.fitted(form, answer.text()).map_err(|error| changed_wrongly(error, hook))?;
        }
        Ok(answer.into_text())
    }

    /// The error of a run whose hook failed: `refused` gives the one for a refusal.
    fn hook_failed<E: Error + 'static>(
        &self,
        hook: &dyn DynRunHook,
        error: BoxError,
        refused: impl FnOnce(Arc<str>, &'static str, E) -> RunError,
    ) -> RunError {
        let (agent, hook) = (Arc::clone(&self.instance.name), hook.name());
        match error.downcast() {
            Ok(source) => refused(agent, hook, *source),
            Err(error) => RunError::RunHook { agent, hook, source: error.into() },
        }
    }

    fn hook_ignored(&self, hook: &dyn DynRunHook, error: &BoxError) {
        let text =
            format!("the run hook `{}` failed, and the run continues without it: {error}", hook.name());
        self.event(self.turn(), EventKind::notice(text));
    }
}

/// Adds to the error of an answer that a hook changed it so that it does not fit its type.
fn changed_wrongly(mut error: RunError, hook: &str) -> RunError {
    if let RunError::WrongAnswer { problems, .. } = &mut error {
        problems.insert_str(0, &format!("the run hook `{hook}` changed it:\n- "));
    }
    error
}
