//! The journal of a run that continues with the answers of people: its steps are in the log of its session.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Session, SessionError};
use crate::journal::{Journal, JournalError, MemoryJournal, Step, StepExec, StepId, StepRecord, StepWork};
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
        let Some(run) = &mut state.run else { return Ok(()) };
        let name = step.id().to_string();
        if let Some(steps) = &mut run.resumed {
            steps.insert(name.clone());
        }
        let step = Change::Step { run_id: step.run_id().into(), step: name, record: record.clone() };
        let written = state.written.clone();
        Ok(log.append(&mut state, vec![step], written).await?)
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
