//! What a call reads from outside of its arguments, as steps that a replay answers: the clock, a wait, a random number.

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

    /// Numbers the reads of the next attempt's step from 0, because a replay may leave the attempts before it out.
    pub(crate) fn number_reads_anew(&self) {
        self.data_if_any(|data| data.reads_in_step = 0);
        self.number_questions_anew();
    }
}
