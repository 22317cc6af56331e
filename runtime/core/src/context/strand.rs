//! The code of a call, or of a run, between its steps: what it reads of the states is recorded behind it, and in a replay it reads the same.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::RunContext;
use super::latch::AbortCause;
use crate::definition::Effect;
use crate::journal::{JournalError, StepId, recorded, run_step};
use crate::lock::lock;
use crate::secret::Redact as _;
use crate::state::{Address, Read, Reads, StateChange};

tokio::task_local! {
    /// The strand that this task runs; `None` inside of a step, whose result is recorded.
    static HERE: Option<Strand>;
}

/// The code of a call around its step, or the code of a run around its calls. A step of the journal holds what the code behind another
/// step read.
#[derive(Clone)]
pub(crate) struct Strand(Arc<Inner>);

struct Inner {
    run: RunContext,
    reads: Reads,
    /// The step of the reads since the last step.
    id: Mutex<StepId>,
}

impl Strand {
    fn here() -> Option<Self> {
        HERE.try_with(Clone::clone).ok().flatten()
    }

    async fn around<T>(this: Option<Self>, work: impl Future<Output = T>) -> T {
        let reads = this.as_ref().map(|this| this.0.reads.clone());
        HERE.scope(this, Reads::around(reads, work)).await
    }

    /// Records what the code did since the last step. If it cannot be recorded, or differs from its record, the run ends.
    async fn end(&self) {
        let Inner { run, reads, id } = &*self.0;
        let redactor = run.redactor();
        let is_secret = |value: &Value| {
            redactor.as_ref().is_some_and(|redactor| {
                let mut masked = value.clone();
                masked.redact(redactor);
                masked != *value
            })
        };
        let ended = reads.end(is_secret);
        let step = || run.journal_step(lock(id).clone()).asked(Effect::Pure, String::new());
        match (ended, run.journal()) {
            (Err(problem), _) => {
                let error = JournalError::diverged(&step(), problem);
                run.unless_failed(Err(error)).await
            }
            (Ok(reads), Some(journal)) if !reads.is_empty() => {
                let work = async || Ok::<_, Infallible>(reads);
                let kept = Box::pin(run_step(&**journal, step(), work)).await;
                let Ok(_) = run.unless_failed(kept).await;
            }
            (Ok(_), _) => {}
        }
    }

    /// Begins the code whose reads are the step `begun`.
    async fn begin(&self, begun: StepId) {
        let Inner { run, reads, id } = &*self.0;
        let known = match run.journal() {
            Some(journal) if !run.is_new() => {
                let step = run.journal_step(begun.clone());
                match Box::pin(recorded::<Vec<Read>>(&**journal, &step)).await {
                    Ok(known) => known,
                    Err(error) => {
                        run.abort_for(AbortCause::Journal(error));
                        None
                    }
                }
            }
            _ => None,
        };
        *lock(id) = begun;
        reads.begin(known);
    }
}

impl RunContext {
    /// Runs the code of a call or of the run, which begins at this step. Without a journal it runs as it is.
    pub(crate) async fn strand<T>(&self, at: impl FnOnce() -> StepId, work: impl Future<Output = T>) -> T {
        if self.journal().is_none() {
            return work.await;
        }
        let reads = Reads::new(Address::of(&**self.state()), self.session_state().address());
        let begun = at().state("before");
        let strand = Strand(Arc::new(Inner { run: self.clone(), reads, id: Mutex::new(begun.clone()) }));
        strand.begin(begun).await;
        let ended = Strand::around(Some(strand.clone()), work).await;
        strand.end().await;
        ended
    }

    /// Repeats a recorded change by the code that this task runs.
    pub(super) fn repeat_read(&self, changes: &[StateChange]) {
        if let Err(problem) = self.repeat(changes)
            && let Some(here) = Reads::here()
        {
            here.fail(problem);
        }
    }

    /// Runs work whose result is a step: what it reads needs no record.
    pub(super) async fn between_reads<T>(&self, id: StepId, work: impl Future<Output = T>) -> T {
        let here = Strand::here();
        if let Some(here) = &here {
            here.end().await;
        }
        let done = Strand::around(None, work).await;
        if let Some(here) = &here {
            here.begin(id.state("after")).await;
        }
        done
    }

    /// Records what the code around other strands did so far, and runs them. `first` is the first of their steps.
    pub(crate) async fn around_strands<T>(&self, first: Option<&StepId>, work: impl Future<Output = T>) -> T {
        match (Strand::here(), first) {
            (Some(here), Some(first)) => {
                here.end().await;
                let done = work.await;
                here.begin(StepId { name: Arc::default(), ..first.clone() }.state("after all beside")).await;
                done
            }
            (None, _) | (_, None) => work.await,
        }
    }
}

/// The code of a call that is inside of its step and can run again without it: it can end with a question, or it is an agent.
pub(crate) struct Within(Option<Strand>);

impl Within {
    /// The code around the step, to take it along.
    pub(crate) fn here() -> Self {
        Self(Strand::here())
    }

    /// Runs the code inside of the step with this id.
    pub(crate) async fn run<T>(self, id: StepId, work: impl Future<Output = T>) -> T {
        let Some(strand) = self.0 else { return work.await };
        let reads = strand.0.reads.clone();
        let before = reads.last();
        strand.begin(id.state("in")).await;
        let done = Strand::around(Some(strand), work).await;
        reads.go_on_after(before);
        done
    }
}
