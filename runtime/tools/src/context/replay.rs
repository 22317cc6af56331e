//! What a replay reads again: the clock, timers and random numbers, as steps; and the states, which the code of a call or a
//! run reads between its steps.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{AbortCause, RunContext, ToolContext};
use crate::journal::{Journal, JournalError, StepId, StepKind, recorded, run_step};
use crate::state::{Address, Reads, StateChange};
use onionskin_definitions::definition::Effect;
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::Redact as _;

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
        self.data_if_any(|data| {
            data.reads_in_step = 0;
            data.values.number_anew();
        });
        self.number_questions_anew();
    }
}

tokio::task_local! {
    /// The strand of the current task; `None` inside a step, whose result is recorded.
    static HERE: Option<Strand>;
}

/// Whether a run has records of reads.
#[repr(u8)]
enum HasReads {
    Unknown = 0,
    None,
    Some,
}

/// The code of a call around its step, or the code of a run around its calls. After each step, a further step
/// of the journal records what the code reads.
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

    /// Records the reads and changes since the last step. If they cannot be recorded, or differ from the
    /// record, the run ends.
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
        let step = || run.journal_step(lock(id).clone()).with_request(Effect::Pure, String::new());
        match (ended, run.journal()) {
            (Err(problem), _) => {
                let error = JournalError::diverged(&step(), problem);
                run.unless_failed::<()>(Err(error)).await;
            }
            (Ok(reads), Some(journal)) if !reads.is_empty() => {
                run.note_reads(journal).await;
                let work = async || Ok::<_, Infallible>(reads);
                let stored = Box::pin(run_step(&**journal, step(), work)).await;
                let Ok(_) = run.unless_failed(stored).await;
            }
            (Ok(_), _) => {}
        }
    }

    /// Starts the code whose reads are recorded as the step `begun`.
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
    /// The outermost parent run with the same journal.
    pub(super) fn recorded_with(&self) -> &Self {
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

    /// The step that marks a run as one with records of reads. Without it, a replay does not search for
    /// records.
    fn read_step(&self) -> StepId {
        StepId { scope: Arc::clone(self.scope()), ..StepId::new(StepKind::States, "") }
    }

    /// Records, before the first record of reads, that the run has some.
    async fn note_reads(&self, journal: &Arc<dyn Journal>) {
        let run = self.recorded_with();
        if run.reads().load(Ordering::Relaxed) == HasReads::Some as u8 {
            return;
        }
        // Concurrent strands share one step, which any of them can drive.
        let noted = run.noted().get_or_init(|| {
            let journal = Arc::clone(journal);
            let step = run.journal_step(run.read_step()).with_request(Effect::Pure, String::new());
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

    /// Returns the record of a step. If the journal fails, the run ends.
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

    /// Repeats recorded changes of the current task's code.
    pub(super) fn repeat_read(&self, changes: &[StateChange]) {
        if let Err(problem) = self.repeat(changes)
            && let Some(here) = Reads::here()
        {
            here.fail(problem);
        }
    }

    /// Runs work whose result is a step, so its reads need no record.
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

/// The code inside a call's step that can run again without the step's record, because the tool asks
/// questions or is an agent.
pub(crate) struct Within(Option<Strand>);

impl Within {
    /// Captures the strand around the step.
    pub(crate) fn here() -> Self {
        Self(Strand::here())
    }

    /// Runs the code inside the step with this id.
    pub(crate) async fn run<T>(self, id: StepId, work: impl Future<Output = T>) -> T {
        let Some(strand) = self.0 else { return work.await };
        let reads = strand.0.reads.clone();
        let before = reads.last();
        strand.begin(id.state("in")).await;
        let done = Strand::around(Some(strand), work).await;
        reads.reset_last(before);
        done
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// Runs the code of a call or of the run as a strand that starts at this step. Without a journal, it just
    /// runs the code.
    pub async fn strand<T>(&self, at: impl FnOnce() -> StepId, work: impl Future<Output = T>) -> T {
        if self.journal().is_none() {
            return work.await;
        }
        let reads = Reads::new(Address::new(&**self.state()), self.session_state().address());
        let begun = at().state("before");
        let strand = Strand(Arc::new(Inner { run: self.clone(), reads, id: Mutex::new(begun.clone()) }));
        strand.begin(begun).await;
        let ended = Strand::around(Some(strand.clone()), work).await;
        strand.end().await;
        ended
    }

    /// Records the reads of the code around other strands so far, and runs the strands. `first` is their
    /// first step.
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
