//! Values that hooks and tools record, so that a replay gets them again.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ToolContext;
use crate::journal::{StepId, StepKind, run_step};
use onionskin_definitions::definition::Effect;

/// The names of the values that a call recorded, outside and inside its own step.
#[derive(Default)]
pub(super) struct ValueNames {
    outside: Vec<Box<str>>,
    in_step: Vec<Box<str>>,
}

impl ValueNames {
    /// Restarts the numbering for the next attempt's step.
    pub(super) fn number_anew(&mut self) {
        self.in_step.clear();
    }
}

impl ToolContext {
    /// Makes a value once and records it, as a [step](crate::journal): a replay returns the recorded value, and does not
    /// run `make`. A hook records what it decides by more than the steps of the run, such as the time, a counter or
    /// another program, so that a replay decides the same. Without a journal, it only runs `make`.
    ///
    /// `name` says what the value is. The same name in one call, for example in another attempt, is another value. The
    /// value must not contain a secret.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use onionskin::{Args, Exit, Next, ToolContext, ToolResult, tool_hook};
    ///
    /// static CALLS: AtomicU32 = AtomicU32::new(0);
    ///
    /// /// Lets 100 calls of all runs through.
    /// #[tool_hook]
    /// async fn quota(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    ///     let is_free = cx.record("quota", async || CALLS.fetch_add(1, Ordering::Relaxed) < 100).await;
    ///     if is_free { next.run(args).await } else { Err(Exit::denied("no more calls today")) }
    /// }
    /// ```
    ///
    /// A value that cannot be written or read as JSON, and a journal that fails, end the run with
    /// [`RunError::Journal`](crate::journal::JournalError).
    ///
    /// Cancel safety: if the future is dropped, nothing is recorded.
    pub async fn record<T, F, Fut>(&self, name: &str, make: F) -> T
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnOnce() -> Fut + Send,
        Fut: Future<Output = T> + Send,
    {
        self.run.reading(self.value_step(name), make).await
    }

    /// As [`Self::record`], for a value that all calls of the run, of its children and of its parents share: the first
    /// call that records this name makes the value, also in a replay whose calls come in another order. Without a
    /// journal, each call makes its own.
    ///
    /// The name begins with that of the hook's crate, and says what the value is: all hooks of the run share the names. Calls
    /// at the same time wait for the one that makes the value, so `make` must not wait for a call that records the same name.
    ///
    /// Cancel safety: as [`Self::record`].
    pub async fn record_in_run<T, F, Fut>(&self, name: &str, make: F) -> T
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnOnce() -> Fut + Send,
        Fut: Future<Output = T> + Send,
    {
        let run = self.run.recorded_with();
        let Some(journal) = run.journal() else { return make().await };
        let shared = StepId { scope: Arc::clone(run.scope()), ..StepId::new(StepKind::Value, name) };
        let step = run.journal_step(shared).with_request(Effect::Pure, String::new());
        let work = async || Ok::<T, Infallible>(make().await);
        // The reads of the states belong to this call, because another one may record the value.
        // Two calls at the same time do not both make it.
        let record = run.in_turn(name, run_step(&**journal, step, work));
        let recorded = run.between_reads(self.value_step(name), record);
        let Ok(value) = self.run.unless_failed(Box::pin(recorded).await).await;
        value
    }

    /// Waits with the calls of the run that wait for a person in a later run, and is dropped with them when the run
    /// pauses. It returns at once if no call waits. A hook uses it if its call depends on the result of another call:
    /// the resumed run starts both again.
    ///
    /// Cancel safety: dropping the future has no effect.
    pub async fn pause_with_others(&self) {
        if self.run.questions().is_some_and(|questions| !questions.all_open().is_empty()) {
            self.data(|data| data.is_waiting = true);
            // The run drops this future.
            pending::<()>().await;
        }
    }

    /// The step of the next value of this name.
    fn value_step(&self, name: &str) -> StepId {
        let is_in_step = self.is_in_step();
        let number = self.data(|data| {
            let names = if is_in_step { &mut data.values.in_step } else { &mut data.values.outside };
            names.push(name.into());
            names.iter().filter(|other| ***other == *name).count()
        });
        let place = if is_in_step { "tool." } else { "" };
        let mut id = self.step_id(StepKind::Value);
        id.name = format!("{}.{place}{name}.{number}", id.name).into();
        id
    }
}
