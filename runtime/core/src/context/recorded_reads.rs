//! What a call reads from outside of its arguments, as steps that a replay answers: the clock, a wait, a random number.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::ToolContext;
use crate::journal::{StepId, StepKind};

impl ToolContext {
    /// Reads the wall clock, as a [step](crate::journal): a replayed run gets the same time again. If the journal
    /// fails, the run aborts.
    ///
    /// Cancel safety: a dropped future has read nothing.
    pub async fn now(&self) -> SystemTime {
        self.run.reading(self.numbered(StepKind::Clock), async || SystemTime::now()).await
    }

    /// Waits, as a [step](crate::journal): a replayed run does not wait again.
    ///
    /// Cancel safety: dropping the future ends the wait.
    ///
    /// # Panics
    /// Panics without a tokio runtime with timers.
    pub async fn sleep(&self, duration: Duration) {
        self.run.reading(self.numbered(StepKind::Timer), async || tokio::time::sleep(duration).await).await;
    }

    /// Makes a random number, as a [step](crate::journal): a replayed run gets the same number again. Do not use it for
    /// secrets.
    ///
    /// Cancel safety: a dropped future has made no number.
    pub async fn random(&self) -> u64 {
        self.run.reading(self.numbered(StepKind::Random), async || crate::random::random()).await
    }

    /// Reads of the call's step have numbers of their own: a replay leaves them out, and the hooks around it must have the
    /// same numbers then.
    fn numbered(&self, kind: StepKind) -> StepId {
        let extra = self.extra();
        let (numbers, place) =
            if self.is_in_step() { (&extra.reads_in_step, "tool.") } else { (&extra.reads, "") };
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        let mut id = self.step_id(kind);
        id.name = format!("{}.{place}{number}", id.name).into();
        id
    }

    /// Numbers the reads of the next attempt's step from 0, because a replay may leave the attempts before it out.
    pub(crate) fn number_reads_anew(&self) {
        if let Some(extra) = self.extra_if_any() {
            extra.reads_in_step.store(0, Ordering::Relaxed);
        }
        self.number_questions_anew();
    }
}
