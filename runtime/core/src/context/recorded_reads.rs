//! What a call reads from outside of its arguments, as steps that a replay answers: the clock, a wait, a random number.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::ToolContext;
use crate::journal::{StepId, StepKind};

impl ToolContext {
    /// Reads the wall clock, as a [step](crate::journal): a replayed run gets the same time again. If the journal
    /// fails, the run aborts.
    pub async fn now(&self) -> SystemTime {
        self.run.reading(self.numbered(StepKind::Clock), async || SystemTime::now()).await
    }

    /// Waits, as a [step](crate::journal): a replayed run does not wait again. Cancel safe: dropping the future ends the
    /// wait.
    ///
    /// # Panics
    /// Panics without a tokio runtime with timers.
    pub async fn sleep(&self, duration: Duration) {
        self.run.reading(self.numbered(StepKind::Timer), async || tokio::time::sleep(duration).await).await;
    }

    /// Makes a random number, as a [step](crate::journal): a replayed run gets the same number again. Do not use it for
    /// secrets.
    pub async fn random(&self) -> u64 {
        self.run.reading(self.numbered(StepKind::Random), async || crate::journal::random()).await
    }

    fn numbered(&self, kind: StepKind) -> StepId {
        let number = self.extra().steps.fetch_add(1, Ordering::Relaxed);
        let mut id = self.step_id(kind);
        id.name = format!("{}.{number}", id.name).into();
        id
    }
}
