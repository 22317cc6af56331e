//! The code of a call, or of a run, between its steps: what it reads of the states is recorded behind it, and in a replay it reads the same.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::RunContext;
use super::latch::AbortCause;
use crate::journal::{Journal, JournalError, StepId, StepKind, recorded, run_step};
use crate::state::{Address, Reads, StateChange};
use onionskin_definitions::definition::Effect;
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::Redact as _;

tokio::task_local! {
    /// The strand that this task runs; `None` inside of a step, whose result is recorded.
    static HERE: Option<Strand>;
}

/// Whether a run has records of reads.
#[repr(u8)]
enum HasReads {
    Unknown = 0,
    None,
    Some,
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
                run.unless_failed::<()>(Err(error)).await;
            }
            (Ok(reads), Some(journal)) if !reads.is_empty() => {
                run.note_reads(journal).await;
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
            Some(journal) if run.may_have_read(&**journal, &begun).await => {
                run.look_up(&**journal, begun.clone()).await
            }
            _ => None,
        };
        *lock(id) = begun;
        reads.begin(known);
    }
}

impl RunContext {
    /// The outermost run that records in the same journal.
    fn recorded_with(&self) -> &Self {
        let same = |one: &Self, other: &Self| match (one.journal(), other.journal()) {
            (Some(one), Some(other)) => std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other)),
            _ => false,
        };
        let mut run = self;
        while let Some(above) = run.parent().filter(|above| same(run, above)) {
            run = above;
        }
        run
    }

    /// The step that a run has with its first record of reads: a run without it has none, and is not searched for them.
    fn read_step(&self) -> StepId {
        StepId { scope: Arc::clone(self.scope()), ..StepId::new(StepKind::States, "") }
    }

    /// Notes that the run records reads, before it does: a later run without this step looks for none.
    async fn note_reads(&self, journal: &Arc<dyn Journal>) {
        let run = self.recorded_with();
        if run.reads().load(Ordering::Relaxed) == HasReads::Some as u8 {
            return;
        }
        // Strands beside each other wait for one step, and each of them can carry it on.
        let noted = run.noted().get_or_init(|| {
            let journal = Arc::clone(journal);
            let step = run.journal_step(run.read_step()).asked(Effect::Pure, String::new());
            let work = async || Ok::<_, Infallible>(true);
            async move { run_step(&*journal, step, work).await.map(drop) }.boxed().shared()
        });
        self.unless_failed(noted.clone().await).await;
        run.reads().store(HasReads::Some as u8, Ordering::Relaxed);
    }

    /// Whether an earlier run may have recorded the reads of this step.
    async fn may_have_read(&self, journal: &dyn Journal, begun: &StepId) -> bool {
        let run = self.recorded_with();
        // Before its first step, a run reads the states that it began with.
        let is_first = begun.turn == 0 && begun.call_number.is_none() && begun.scope == *run.scope();
        if is_first || self.is_new() {
            return false;
        }
        if run.reads().load(Ordering::Relaxed) == HasReads::Unknown as u8 {
            let is_there = self.look_up::<bool>(journal, run.read_step()).await.is_some();
            let found = if is_there { HasReads::Some } else { HasReads::None };
            run.reads().store(found as u8, Ordering::Relaxed);
        }
        run.reads().load(Ordering::Relaxed) == HasReads::Some as u8
    }

    /// What is recorded at a step. If the journal fails, the run ends.
    async fn look_up<T: Serialize + DeserializeOwned>(&self, journal: &dyn Journal, id: StepId) -> Option<T> {
        let step = self.journal_step(id);
        match Box::pin(recorded(journal, &step)).await {
            Ok(found) => found,
            Err(error) => {
                self.abort_for(AbortCause::Journal(error));
                None
            }
        }
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

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// Runs the code of a call or of the run, which begins at this step. Without a journal it runs as it is.
    pub async fn strand<T>(&self, at: impl FnOnce() -> StepId, work: impl Future<Output = T>) -> T {
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

    /// Records what the code around other strands did so far, and runs them. `first` is the first of their steps.
    pub async fn around_strands<T>(&self, first: Option<&StepId>, work: impl Future<Output = T>) -> T {
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
