//! The journal of a run that continues with the answers of people: its steps are in the log of its session.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Session, SessionError};
use crate::journal::{Journal, JournalError, MemoryJournal, Step, StepExec, StepId, StepRecord, StepWork};
use crate::question::step_has_secret;
use crate::session_store::Change;

/// Records steps in memory and in the log of a session.
pub(super) struct LoggedJournal {
    own: Arc<MemoryJournal>,
    session: Session,
}

impl LoggedJournal {
    pub(super) fn new(own: Arc<MemoryJournal>, session: Session) -> Self {
        Self { own, session }
    }

    async fn log(&self, step: &Step, record: &StepRecord) -> Result<(), SessionError> {
        let Some(log) = self.session.log() else { return Ok(()) };
        let mut state = log.state.lock().await;
        log.resolve(&mut state).await?;
        let Some(run) = &mut state.run else { return Ok(()) };
        let name = step.id().to_string();
        if let Some(run) = &mut run.resumed {
            run.steps.insert(name.clone());
        }
        let step = Change::Step { run_id: step.run_id().into(), step: name, record: record.clone() };
        let written = state.written.clone();
        Ok(log.append(&mut state, vec![step], written).await?)
    }

    /// Checks that a record has no secret that was registered later. If it were masked, a replay would differ.
    fn check(&self, step: &Step, record: &StepRecord) -> Result<(), JournalError> {
        let Some(redactor) = self.session.state().concealed().redactor() else { return Ok(()) };
        if !step_has_secret(&step.id().to_string(), record, &redactor) {
            return Ok(());
        }
        let reason = "it contains a secret, and a stored session contains none: keep it in the session \
                      (`SessionState::set_secret`), and not in values or states";
        Err(JournalError::unrecordable(step, reason))
    }
}

impl Journal for LoggedJournal {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        let work: StepWork<'a> = Box::new(move || {
            Box::pin(async move {
                let record = work().await?;
                self.check(step, &record)?;
                self.log(step, &record).await.map_err(|error| JournalError::storage(step, error))?;
                Ok(record)
            })
        });
        self.own.step(step, work)
    }

    fn batch<'a>(
        &'a self,
        calls: &'a [StepId],
        limit: usize,
        exec: &'a dyn StepExec,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        self.own.batch(calls, limit, exec)
    }
}
