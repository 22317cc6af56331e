//! Runs a step through a journal, which records the result or returns the recorded one.

use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{JournalError, JournalErrorKind};
use super::{Journal, Step, StepRecord, StepWork};
use crate::caught::caught_async;
use onionskin_definitions::lock::lock;

/// Runs fallible work as a step. Failures are not recorded.
///
/// # Errors
/// The outer error is the journal's: the journal failed, or its record belongs to another request. The inner
/// error is that of the work.
pub(crate) async fn run_step<T, E, F, Fut>(
    journal: &dyn Journal,
    step: Step,
    work: F,
) -> Result<Result<T, E>, JournalError>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    E: Send,
    F: FnOnce() -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
{
    let (failure, panicked) = (Mutex::new(None), Mutex::new(None));
    let (known, failed, panics) = (&step, &failure, &panicked);
    let recorded: StepWork<'_> = Box::new(move || {
        Box::pin(async move {
            let value = match AssertUnwindSafe(async { work().await }).catch_unwind().await {
                Ok(Ok(value)) => value,
                Ok(Err(error)) => {
                    *lock(failed) = Some(error);
                    return Err(JournalError::new(JournalErrorKind::StepFailed, known, ""));
                }
                Err(panic) => {
                    *lock(panics) = Some(panic);
                    return Err(JournalError::new(JournalErrorKind::StepFailed, known, ""));
                }
            };
            let value = serde_json::to_value(value).map_err(|error| JournalError::storage(known, error))?;
            Ok(StepRecord::new(known.request_hash().to_owned(), value))
        })
    });
    let answer = call_journal(journal, known, recorded).await;
    // A panic of the work unwinds as it would without a journal.
    if let Some(panic) = panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(panic);
    }
    let record = match answer {
        Ok(record) => record,
        Err(error) => {
            // If the journal returns another error after a failure, the journal failed too.
            let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
            return match failure.filter(|_| error.kind() == JournalErrorKind::StepFailed) {
                Some(failure) => Ok(Err(failure)),
                None => Err(error),
            };
        }
    };
    if !record.is_for(&step) {
        return Err(JournalError::diverged(
            &step,
            "it was recorded for another request, another state or another run",
        ));
    }
    // A new record is read back too, so that a replay gets the same value. A tool call keeps its original
    // result.
    record.read().map(Ok).map_err(|problem| JournalError::corrupt(&step, problem))
}

/// As [`Journal::step`]. A panic of the journal is a storage error.
async fn call_journal<'a>(
    journal: &'a dyn Journal,
    step: &'a Step,
    work: StepWork<'a>,
) -> Result<StepRecord, JournalError> {
    match caught_async(async { journal.step(step, work).await }).await {
        Ok(answer) => answer,
        Err(words) => Err(JournalError::storage(step, format!("it panicked: {words}"))),
    }
}

/// Returns the recorded result of a step, whatever its request was; `None` if the step did not run yet.
///
/// # Errors
/// Returns the journal's error, or an error if the record cannot be read.
pub(crate) async fn recorded<T>(journal: &dyn Journal, step: &Step) -> Result<Option<T>, JournalError>
where
    T: Serialize + DeserializeOwned,
{
    look_up(journal, step, |_| true).await
}

/// As [`recorded`], but also `None` if the step was recorded for another request.
///
/// # Errors
/// As [`recorded`].
pub(crate) async fn recorded_for<T>(journal: &dyn Journal, step: &Step) -> Result<Option<T>, JournalError>
where
    T: Serialize + DeserializeOwned,
{
    look_up(journal, step, |record| record.is_for(step)).await
}

async fn look_up<T>(
    journal: &dyn Journal,
    step: &Step,
    accepts: impl Fn(&StepRecord) -> bool,
) -> Result<Option<T>, JournalError>
where
    T: Serialize + DeserializeOwned,
{
    let none: StepWork<'_> = Box::new(move || {
        Box::pin(
            async move { Err(JournalError::new(JournalErrorKind::StepFailed, step, "it was not run yet")) },
        )
    });
    match call_journal(journal, step, none).await {
        Ok(record) if !accepts(&record) => Ok(None),
        Ok(record) => record.read().map(Some).map_err(|problem| JournalError::corrupt(step, problem)),
        Err(error) if error.kind() == JournalErrorKind::StepFailed => Ok(None),
        Err(error) => Err(error),
    }
}
