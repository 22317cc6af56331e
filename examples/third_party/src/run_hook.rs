//! `Counter` is a hook around each run.

use onionskin_core::run::InjectInRun;
use onionskin_core::run_hooks::{BoxError, CheckTrigger, InputCheckError, RunAnswer, RunHook, RunInput};
use onionskin_core::services::ServiceTypes;
use onionskin_core::{Provided, RunContext, State, made};

use crate::{Bank, Contacts};

/// Refuses a dictation of too many lines, and says after each answer how much is left and how many payees are known. `agent!` makes
/// it of its value: `run_hooks: [Counter(10)]`.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    most: usize,
}

impl From<(usize,)> for Counter {
    fn from((most,): (usize,)) -> Self {
        Self { most }
    }
}

impl RunHook for Counter {
    type Made = made::FromValues<(usize,), State<Bank>>;

    async fn before_run(&self, _run: &RunContext, input: &mut RunInput) -> Result<(), BoxError> {
        let lines = input.text().lines().count();
        if lines > self.most {
            let error = InputCheckError::new(format!("{lines} lines are more than {}", self.most));
            return Err(error.with_trigger(CheckTrigger::ValidationFailed).into());
        }
        let trimmed = input.text().trim().to_owned();
        input.set_text(trimmed);
        Ok(())
    }

    async fn after_run(&self, run: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        let bank = State::<Bank>::inject_in_run(run)?.latest();
        let contacts = Provided::<dyn Contacts>::inject_in_run(run)?;
        let known = bank.paid.iter().filter(|(to, _)| contacts.account_of(to).is_some()).count();
        let left = bank.cents;
        answer.set_text(format!("{}\n{left} cents are left; {known} payees are known", answer.text()));
        Ok(())
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add::<dyn Contacts>();
    }
}
