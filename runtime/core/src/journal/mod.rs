//! Steps: the effects of a run, named by their position in it, so that a run can be replayed.
//!
//! Each effect of a run on the outside world is a *step*: a model turn, the innermost part of a tool call, a child's
//! run, a clock reading. All other code, hooks included, is deterministic given the results of the steps. A [`Journal`]
//! records steps and answers them from the record in a later run.

mod memory;
mod step;
mod step_id;
mod tool_record;

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream;
use serde_json::Value;

pub use memory::MemoryJournal;
pub(crate) use step::step_through;
pub(crate) use step_id::StepRef;
pub use step_id::{StepId, StepKind};
pub(crate) use tool_record::CallRecord;

/// The work of one step. It runs at most once, and the journal records its value.
pub type StepWork<'a> = Box<dyn FnOnce() -> BoxFuture<'a, Value> + Send + 'a>;

/// Records the steps of runs. Without a journal a run calls its steps directly, at no cost.
///
/// ```
/// use futures_util::future::BoxFuture;
/// use onionskin::journal::{Journal, JournalError, StepId, StepWork};
/// use serde_json::Value;
///
/// /// Prints each step that another journal does not know yet.
/// struct Printed<J>(J);
///
/// impl<J: Journal> Journal for Printed<J> {
///     fn step<'a>(
///         &'a self,
///         run: &'a str,
///         id: &'a StepId,
///         work: StepWork<'a>,
///     ) -> BoxFuture<'a, Result<Value, JournalError>> {
///         let work: StepWork<'a> = Box::new(move || {
///             println!("{run}: {id}");
///             work()
///         });
///         self.0.step(run, id, work)
///     }
/// }
/// ```
///
///
/// Cancel safety: a dropped future of `step` leaves the step in doubt. In the next run, the tool's
/// [`Effect`](crate::Effect) decides how to continue. For a tool with the effect [`Once`](crate::Effect::Once), the
/// start of its function is a separate step ([`StepKind::Begin`]), recorded before the function runs. If that step is
/// recorded and the call is not, the call ends with [`ErrorKind::InDoubt`](crate::ErrorKind::InDoubt).
pub trait Journal: Send + Sync + 'static {
    /// Runs `work`, records its value under `id` in the run `run`, and returns the value. If a value is recorded there
    /// already, it returns that value and does not run `work`.
    ///
    /// # Errors
    /// Returns an error if the record cannot be read or written. The run then aborts.
    fn step<'a>(
        &'a self,
        run: &'a str,
        id: &'a StepId,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<Value, JournalError>>;

    /// Runs the calls of one model turn as one operation, at most `limit` at a time.
    ///
    /// # Errors
    /// Returns an error if the record cannot be read or written. The run then aborts.
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
        run: &'a str,
        id: &'a StepId,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<Value, JournalError>> {
        (**self).step(run, id, work)
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
pub trait StepExec: Send + Sync {
    /// Runs the call at `index`. Its steps pass through the journal one by one.
    fn call(&self, index: usize) -> BoxFuture<'_, ()>;
}

/// The record of a run could not be read or written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the journal failed at step `{step}`: {reason}")]
pub struct JournalError {
    /// The name of the step, as [`StepId`] is written.
    pub step: String,
    /// The reason.
    pub reason: String,
}

/// A tool with the effect [`Once`](crate::Effect::Once) did not run again, because an earlier run ended while the tool
/// ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{tool}` may have taken effect already: an earlier run with the id `{run_id}` ended while the tool ran. Its effect is \
     `once`, so it was not run again. Do not call it again: a person has to find out whether it took effect. If it did not, a \
     run with another `run_id` may call it"
)]
#[non_exhaustive]
pub struct InDoubt {
    /// The tool.
    pub tool: String,
    /// The id of both runs.
    pub run_id: String,
}

/// The journal as a trait object.
pub(crate) use Journal as DynJournal;

/// Runs `count` calls in any order, at most `limit` at a time.
pub(crate) async fn run_bounded<'a>(
    count: usize,
    limit: usize,
    call: impl Fn(usize) -> BoxFuture<'a, ()> + Send,
) {
    stream::iter(0..count).map(call).buffer_unordered(limit.max(1)).for_each(async |()| {}).await;
}

/// A random number from the standard library's hash seeds, for ids and jitter. Do not use it for secrets.
pub(crate) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// A unique id for a run or a session.
pub(crate) fn new_id() -> Arc<str> {
    let halves = [random(), random()];
    // Without a text in between, because every run makes an id.
    let digits: [u8; 32] = std::array::from_fn(|place| {
        let digit = halves[place / 16] >> (60 - 4 * (place % 16)) & 15;
        b"0123456789abcdef"[digit as usize]
    });
    str::from_utf8(&digits).expect("the digits are ASCII").into()
}
