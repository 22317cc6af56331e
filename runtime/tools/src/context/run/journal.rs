//! The journal of a run: its steps, and what a replay knows of them.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use futures_util::future::{BoxFuture, Shared};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex as AsyncMutex;

use super::RunContext;
use super::abort::AbortCause;
use crate::journal::{Journal, JournalError, Step, StepId, run_step};
use crate::state::{Address, StateChange, repeated};
use onionskin_definitions::definition::Effect;
use onionskin_definitions::lock::lock;
use onionskin_definitions::on_drop::OnDrop;

/// The turns of the calls that record a value of the run, by its name.
pub(super) type SharedValues = Mutex<HashMap<Box<str>, Arc<AsyncMutex<()>>>>;

/// The step that marks a run as one that records reads, in progress or done.
pub(super) type Noted = Shared<BoxFuture<'static, Result<(), JournalError>>>;

impl RunContext {
    pub(in crate::context) fn reads(&self) -> &AtomicU8 {
        &self.0.reads
    }

    pub(in crate::context) fn noted(&self) -> &OnceLock<Noted> {
        &self.0.noted
    }

    /// Runs work for one call at a time of those that share the value of this name.
    pub(in crate::context) async fn in_turn<T>(&self, name: &str, work: impl Future<Output = T>) -> T {
        let shared = &self.0.shared;
        let turn = Arc::clone(lock(shared).entry(name.into()).or_default());
        // The last call removes the name, also if it is dropped.
        let _last =
            OnDrop(|| lock(shared).retain(|other, turn| **other != *name || Arc::strong_count(turn) > 2));
        let _turn = turn.lock().await;
        work.await
    }

    /// Whether this run or a parent run has no records from now on.
    pub(in crate::context) fn is_new(&self) -> bool {
        self.0.is_new.load(Ordering::Relaxed) || self.parent().is_some_and(Self::is_new)
    }

    /// Returns a result of the journal. If the journal failed, the run ends with its error.
    pub(crate) async fn unless_failed<T>(&self, result: Result<T, JournalError>) -> T {
        match result {
            Ok(value) => value,
            // The run sees the abort and drops this future.
            Err(error) => {
                self.abort_for(AbortCause::Journal(error));
                std::future::pending().await
            }
        }
    }

    /// As [`Self::step`], for infallible work that its name identifies.
    pub(crate) async fn reading<T, F, Fut>(&self, id: StepId, work: F) -> T
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        F: FnOnce() -> Fut + Send,
        Fut: Future<Output = T> + Send,
    {
        let read =
            self.step(id, || (Effect::Pure, String::new()), async || Ok::<T, Infallible>(work().await));
        match read.await {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// Repeats the changes that a recorded step made to the state.
    ///
    /// # Errors
    /// Returns an error if the changes do not fit the state.
    pub(crate) fn repeat(&self, changes: &[StateChange]) -> Result<(), String> {
        self.session_state().repeat(changes)?;
        if let Some(codec) = self.state_codec() {
            codec.repeat(self.state(), changes)?;
        }
        repeated(changes, Address::new(&**self.state()), self.session_state().address());
        Ok(())
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// Notes that a turn was recorded for the first time, so that nothing after it has a record.
    pub fn note_new(&self) {
        self.0.is_new.store(true, Ordering::Relaxed);
    }

    /// The step with this id, for the journal.
    pub fn journal_step(&self, id: StepId) -> Step {
        let session = self.session_id().unwrap_or_default();
        Step::in_run(Arc::clone(&self.0.seed.identity.run_id), session, id)
    }

    pub fn journal(&self) -> Option<&Arc<dyn Journal>> {
        self.0.seed.journal.as_ref()
    }

    /// Runs a step, through the journal if there is one. If the journal fails, the run ends. `request`
    /// returns the effect and the request hash; it is called only if there is a journal.
    ///
    /// # Errors
    /// Returns the error of the work, which is not recorded.
    pub async fn step<T, E, R, F, Fut>(
        &self,
        id: impl Into<StepId> + Send,
        request: R,
        work: F,
    ) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        E: Send,
        R: FnOnce() -> (Effect, String) + Send,
        F: FnOnce() -> Fut + Send,
        Fut: Future<Output = Result<T, E>> + Send,
    {
        match self.journal() {
            None => work().await,
            Some(journal) => {
                let id = id.into();
                let step = self.journal_step(id.clone());
                let (effect, hash) = request();
                // Boxed, so that futures of runs without a journal stay small.
                let recorded =
                    self.between_reads(id, run_step(&**journal, step.with_request(effect, hash), work));
                self.unless_failed(Box::pin(recorded).await).await
            }
        }
    }
}
