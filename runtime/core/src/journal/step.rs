//! Runs one step of a run: its value is serialised for the journal, and read back from the record.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Journal, StepId, StepWork};

/// Runs work with a typed value as a step of a run.
///
/// # Errors
/// Returns a message if the journal fails, or if its record has another type.
pub(crate) async fn step_through<T, F, Fut>(
    journal: &dyn Journal,
    run_id: &str,
    id: StepId,
    work: F,
) -> Result<T, String>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    F: FnOnce() -> Fut + Send,
    Fut: Future<Output = T> + Send,
{
    let work: StepWork<'_> = Box::new(move || {
        Box::pin(async move {
            // A value that cannot be serialised is found below, where it is read back.
            serde_json::to_value(work().await).unwrap_or_else(|error| Value::String(error.to_string()))
        })
    });
    let value = journal.step(run_id, &id, work).await.map_err(|error| error.to_string())?;
    serde_json::from_value(value).map_err(|error| format!("step `{id}` does not fit its record: {error}"))
}
