//! Values that a crate of the runtime stores in the journal of a run, beside its steps.

use serde::Serialize;
use serde::de::DeserializeOwned;

use onionskin_definitions::definition::Effect;

use super::{Journal, JournalError, JournalErrorKind, Step, StepKind, StepRecord};

/// Stores a value under a name that no step of the run has. A value that is stored already stays.
///
/// # Errors
/// Returns an error if the value cannot be written.
pub async fn store_value<T: Serialize>(
    journal: &dyn Journal,
    run_id: &str,
    name: &str,
    value: &T,
) -> Result<(), JournalError> {
    let step = step(run_id, name);
    let value = serde_json::to_value(value).map_err(|error| JournalError::unrecordable(&step, error))?;
    let record = StepRecord::new(step.request_hash().to_owned(), value);
    journal.step(&step, Box::new(move || Box::pin(async move { Ok(record) }))).await.map(drop)
}

/// The value that is stored; `None` if there is none.
///
/// # Errors
/// Returns an error if the journal cannot be read, or if the value is not of the type.
pub async fn stored_value<T: Serialize + DeserializeOwned>(
    journal: &dyn Journal,
    run_id: &str,
    name: &str,
) -> Result<Option<T>, JournalError> {
    let step = step(run_id, name);
    let missing = JournalError::new(JournalErrorKind::StepFailed, &step, "nothing is stored");
    let record = journal.step(&step, Box::new(move || Box::pin(async move { Err(missing) }))).await;
    match record {
        Ok(record) if !record.is_for(&step) => {
            Err(JournalError::diverged(&step, "the journal answers another run"))
        }
        Ok(record) => record.read().map(Some).map_err(|reason| JournalError::corrupt(&step, reason)),
        Err(error) if error.kind() == JournalErrorKind::StepFailed => Ok(None),
        Err(error) => Err(error),
    }
}

fn step(run_id: &str, name: &str) -> Step {
    Step::new(run_id, StepKind::Value, name).with_request(Effect::Pure, name.to_owned())
}
