//! Journals record the steps of runs, so that a run can be replayed. A step is an effect of a run, named by
//! its position.

mod error;
mod fingerprint;
mod memory;
mod record;
mod run_step;
mod step;
mod step_id;
mod stored_value;

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream;

use crate::random::random;

pub use error::{InDoubt, JournalError, JournalErrorKind};
pub use fingerprint::fingerprint;
pub use memory::MemoryJournal;
pub use record::StepRecord;
pub(crate) use run_step::{recorded, recorded_for, run_step};
pub use step::Step;
pub use step_id::StepRef;
pub use step_id::{StepId, StepKind};
#[doc(hidden)]
pub use stored_value::{store_value, stored_value};

/// The work of one step. It runs at most once.
///
/// # Errors
/// Returns an error of the kind [`StepFailed`](JournalErrorKind::StepFailed) if the work fails, for example
/// because the model cannot be reached. The journal then records nothing and returns the same error, as `?`
/// does.
pub type StepWork<'a> = Box<dyn FnOnce() -> BoxFuture<'a, Result<StepRecord, JournalError>> + Send + 'a>;

/// Records the steps of runs. Without a journal, a run executes its steps directly, at no cost.
///
/// After a crash or a restart in the middle of a run, the program starts the run again with the same id
/// (`RunRequest::run_id`), input and initial state. Recorded steps are answered from the journal, and the run
/// continues after them. The book has a chapter on journals.
///
/// ```
/// use onionskin::BoxFuture;
/// use onionskin::journal::{Journal, JournalError, Step, StepExec, StepId, StepRecord, StepWork};
///
/// /// Prints each step that another journal does not know yet.
/// struct Printed<J>(J);
///
/// impl<J: Journal> Journal for Printed<J> {
///     fn step<'a>(
///         &'a self,
///         step: &'a Step,
///         work: StepWork<'a>,
///     ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
///         let work: StepWork<'a> = Box::new(move || {
///             println!("{step}");
///             work()
///         });
///         self.0.step(step, work)
///     }
///
///     fn batch<'a>(
///         &'a self,
///         calls: &'a [StepId],
///         limit: usize,
///         exec: &'a dyn StepExec,
///     ) -> BoxFuture<'a, Result<(), JournalError>> {
///         self.0.batch(calls, limit, exec)
///     }
/// }
/// ```
///
/// **Order.** Steps of one run nest and run concurrently: the calls of one turn, and their child runs. A call
/// with the effect `Once` records the start of its function ([`StepKind::Begin`]) while its own step runs. A
/// journal must not hold a lock while it awaits the work.
///
/// **Durability.** A record must be durable, for example synchronised to disk, before `step` returns it,
/// because the run acts on it. If a record is lost, its step runs again with the same `IdempotencyKey`; a
/// call with the effect `Once` is in doubt.
///
/// **Cancel safety.** Dropping the future of `step` leaves the step in doubt. In the next run, the tool's
/// `Effect` decides how to continue. A tool with the effect `Once` that was started and has no record does
/// not run again, and its call ends with `ErrorKind::InDoubt`, unless a person decides otherwise
/// ([`Approver::resolve`](crate::approval::Approver::resolve)).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a journal",
    label = "not a journal",
    note = "a journal of your own implements `Journal` and stores the steps where the program wants them; `MemoryJournal` keeps them in memory"
)]
pub trait Journal: Send + Sync + 'static {
    /// Returns the record with the step's [`run_id`](Step::run_id) and [`id`](Step::id). If there is none,
    /// runs `work`, stores its record under these two ids, and returns it. Returning the record of another
    /// run ends the run with [`JournalErrorKind::Diverged`].
    ///
    /// Cancel safety: dropping the future leaves the step in doubt, as above.
    ///
    /// # Errors
    /// Returns the error of `work`, and stores nothing. Returns [`JournalError::storage`] if the record
    /// cannot be read or written, and [`JournalError::corrupt`] if it cannot be parsed; either ends the run.
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>>;

    /// Runs the calls of one model turn, at most `limit` at a time: calls [`StepExec::call`] once with each
    /// index of `calls`. An omitted or repeated call ends the run. A wrapper of another journal forwards this
    /// method.
    ///
    /// Cancel safety: dropping the future drops the running calls; each of them is in doubt, as above.
    ///
    /// # Errors
    /// Returns an error if the record cannot be read or written. The error ends the run.
    fn batch<'a>(
        &'a self,
        calls: &'a [StepId],
        limit: usize,
        exec: &'a dyn StepExec,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        Box::pin(async move {
            run_bounded(calls.len(), limit, |index| exec.call(index)).await;
            Ok(())
        })
    }
}

impl<J: Journal> Journal for std::sync::Arc<J> {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        (**self).step(step, work)
    }

    fn batch<'a>(
        &'a self,
        calls: &'a [StepId],
        limit: usize,
        exec: &'a dyn StepExec,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        (**self).batch(calls, limit, exec)
    }
}

/// Runs one call of a batch.
///
/// Programs do not implement it: the run passes it to [`Journal::batch`].
pub trait StepExec: Send + Sync {
    /// Runs the call at `index`. Its steps pass through the journal one by one. A repeated or invalid index
    /// runs nothing and ends the run with [`JournalErrorKind::Storage`].
    ///
    /// Cancel safety: dropping the future cancels the call.
    fn call(&self, index: usize) -> BoxFuture<'_, ()>;
}

/// Runs `count` calls in any order, at most `limit` at a time.
pub(crate) async fn run_bounded<'a>(
    count: usize,
    limit: usize,
    call: impl Fn(usize) -> BoxFuture<'a, ()> + Send,
) {
    stream::iter(0..count).map(call).buffer_unordered(limit.max(1)).for_each(async |()| {}).await;
}

/// Creates a unique id for a run or a session.
///
/// # Panics
/// Never: the digits are ASCII.
pub fn new_id() -> Arc<str> {
    let halves = [random(), random()];
    // This avoids an intermediate string, because every run creates an id.
    let digits: [u8; 32] = std::array::from_fn(|place| {
        let digit = halves[place / 16] >> (60 - 4 * (place % 16)) & 15;
        b"0123456789abcdef"[digit as usize]
    });
    str::from_utf8(&digits).expect("the digits are ASCII").into()
}
