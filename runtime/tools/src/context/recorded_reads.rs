//! The clock, timers and random numbers, as steps that a replay answers from its records.

use std::time::{Duration, SystemTime};

use super::ToolContext;
use crate::journal::{StepId, StepKind};

impl ToolContext {
    /// Reads the wall clock, as a [step](crate::journal): a replay returns the same time. If the journal
    /// fails, the run aborts.
    ///
    /// Cancel safety: dropping the future has no effect.
    pub async fn now(&self) -> SystemTime {
        self.run.reading(self.numbered(StepKind::Clock), async || SystemTime::now()).await
    }

    /// Sleeps, as a [step](crate::journal): a replay does not wait again.
    ///
    /// Cancel safety: dropping the future ends the wait.
    ///
    /// # Panics
    /// Panics without a tokio runtime with timers.
    pub async fn sleep(&self, duration: Duration) {
        self.run.reading(self.numbered(StepKind::Timer), async || tokio::time::sleep(duration).await).await;
    }

    /// Returns a random number, as a [step](crate::journal): a replay returns the same number. Do not use it
    /// for secrets.
    ///
    /// Cancel safety: dropping the future has no effect.
    pub async fn random(&self) -> u64 {
        self.run.reading(self.numbered(StepKind::Random), async || crate::random::random()).await
    }

    /// The reads inside the call's step are numbered separately: a replay skips them, and the reads of the
    /// hooks around it must keep their numbers.
    fn numbered(&self, kind: StepKind) -> StepId {
        let is_in_step = self.is_in_step();
        let number = self.data(|data| {
            let numbers = if is_in_step { &mut data.reads_in_step } else { &mut data.reads };
            *numbers += 1;
            *numbers - 1
        });
        let place = if is_in_step { "tool." } else { "" };
        let mut id = self.step_id(kind);
        id.name = format!("{}.{place}{number}", id.name).into();
        id
    }

    /// Restarts the numbering of reads for the next attempt's step, because a replay may skip the earlier
    /// attempts.
    pub(crate) fn number_reads_anew(&self) {
        self.data_if_any(|data| data.reads_in_step = 0);
        self.number_questions_anew();
    }
}
