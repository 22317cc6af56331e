//! A journal that cuts a run off.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use onionskin::journal::{Journal, JournalError, MemoryJournal, Step, StepRecord, StepWork};
use tokio::sync::Notify;

/// What a step of a journal comes to.
pub(crate) type StepResult<'a> = BoxFuture<'a, Result<StepRecord, JournalError>>;

/// Stops for ever at one of the moments, which are counted: before the work of a step, after it, and after its record.
pub(crate) struct Cut {
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) moments: Arc<AtomicUsize>,
    pub(crate) at: usize,
    pub(crate) reached: Arc<Notify>,
}

impl Cut {
    async fn pass(&self) {
        if self.moments.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

impl Journal for Cut {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        let work: StepWork<'a> = Box::new(move || {
            Box::pin(async move {
                self.pass().await;
                let record = work().await?;
                self.pass().await;
                Ok(record)
            })
        });
        Box::pin(async move {
            let record = self.journal.step(step, work).await?;
            self.pass().await;
            Ok(record)
        })
    }
}
